import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { RelayStore } from "#shared/events/sockets/relay-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { createLog, type Log } from "#shared/platform/log.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { socketFunction, socketTarget } from "../socket-paths.ts";
import { uploadTimes } from "../uploads/receive-upload.ts";
import { defaultDrainSeconds, healthPath, relayPort } from "./limits.ts";
import { type Relay, type RelayLimits, startRelay } from "./relay.ts";
import type { RelayEvent } from "./relay-sockets.ts";
import { RelayUploads, type RelayUploadsOptions } from "./relay-uploads.ts";

const metricsMilliseconds = 20_000;
/** Connections that may wait to be accepted: after a relay has ended, all of its clients reconnect within seconds. */
const connectionBacklog = 4096;

const serverOptions = {
  // Longer than a distribution keeps idle connections, so that it never sends an upload on one that is being closed.
  keepAliveTimeout: 75_000,
  // Node would end the upload of a slow client after five minutes.
  requestTimeout: uploadTimes.longest * 1000,
} as const;

interface RelayServerOptions {
  /** The handler of uploads, if the configuration enables them on the relay. */
  readonly uploads?: Pick<RelayUploadsOptions, "family"> & {
    createHandler(): RelayUploadsOptions["handler"];
  };
  readonly port?: number;
  readonly drainSeconds?: number;
  readonly limits?: Partial<RelayLimits>;
}

/** A listening relay. */
export interface ServedRelay {
  readonly id: string;
  readonly port: number;
  /** Resolves when it has ended, because of a signal (SIGTERM, SIGINT), or because others took it for dead. */
  readonly ended: Promise<void>;
}

/**
 * Run a relay in its own process.
 * @param handler the Lambda handler of the function behind the WebSocket API
 * @param options.port 0: any free one
 * @param options.drainSeconds time over which a relay that ends tells its clients to reconnect
 */
export async function serveRelay(
  handler: (event: RelayEvent, context: object) => Promise<unknown>,
  config: Config,
  { uploads: given, port = relayPort, drainSeconds = defaultDrainSeconds, limits }: RelayServerOptions = {},
): Promise<ServedRelay> {
  const log = createLog("relay", config.logLevel, config.stage);
  const { relayQueues, relayUploads, settings } = config;
  if (relayQueues === undefined) throw new Error("A relay needs the address of its queues");
  const relay = await startRelay({
    invoke: (event) => handler(event, { functionName: socketFunction }),
    relays: new RelayStore(storeContext({ config, clock: systemClock })),
    queues: relayQueues,
    clock: systemClock,
    log,
    limits,
  });
  const uploads =
    given === undefined || relayUploads === undefined
      ? undefined
      : new RelayUploads({
          family: given.family,
          handler: given.createHandler(),
          most: relayUploads,
          corsAllowedOrigins: settings.corsAllowedOrigins,
          log,
        });
  const server = createServer(serverOptions, (request, response) => {
    if (uploads?.take(request, response)) return;
    const [path = ""] = (request.url ?? "").split("?");
    if (path === healthPath) response.statusCode = relay.isReady() ? 200 : 503;
    else response.statusCode = socketTarget(path) === undefined ? 404 : 426;
    response.end();
  });
  server.on("upgrade", relay.upgrade);
  server.listen({ port, backlog: connectionBacklog });
  await once(server, "listening");
  log.info("relay-started", { relayId: relay.id });

  async function end(): Promise<void> {
    const told = Promise.race(["SIGTERM", "SIGINT"].map((signal) => once(process, signal)));
    const stopMetrics = startMetrics(relay, log);
    const isRemoved = await Promise.race([told.then(() => false), relay.removed.then(() => true)]);
    log.info("relay-ends", { relayId: relay.id, isRemoved, openSockets: relay.openSockets() });
    stopMetrics();
    // Other relays have already removed this relay's sockets, so its clients must reconnect immediately.
    await Promise.all([
      relay.drain(isRemoved ? 0 : drainSeconds),
      uploads?.drain(isRemoved ? 0 : drainSeconds),
    ]);
    server.close();
    server.closeAllConnections();
  }

  return { id: relay.id, port: (server.address() as AddressInfo).port, ended: end() };
}

/** @returns a function that ends the metrics */
function startMetrics(relay: Relay, log: Log): () => void {
  const timer = setInterval(() => {
    emitMetric("OpenSockets", { value: relay.openSockets(), unit: "Count", service: "relay", log });
    const value = relay.takeFrameDelay();
    if (value !== undefined)
      emitMetric("FrameDelayMilliseconds", { value, unit: "Milliseconds", service: "relay", log });
  }, metricsMilliseconds);
  return () => clearInterval(timer);
}
