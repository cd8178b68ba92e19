import { once } from "node:events";
import { createServer } from "node:http";
import { RelayStore } from "#shared/events/sockets/relay-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { createLog } from "#shared/platform/log.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { socketFunction, socketTarget } from "../socket-paths.ts";
import { type RelayEvent, startRelay } from "./relay.ts";

/** Where a relay listens, and the path by which a load balancer asks whether it takes new sockets. */
export const relayPort = 8080;
export const healthPath = "/health";

/** Time over which a relay that ends tells its clients to reconnect; a task gets two minutes to end. */
const drainSeconds = 90;
const metricsMilliseconds = 20_000;

/**
 * Run a relay as a process of its own, until it is told to end (SIGTERM) or has been taken for dead.
 * @param handler the Lambda handler of the function behind the WebSocket API
 * @param options.port 0: any free one
 */
export async function serveRelay(
  handler: (event: RelayEvent, context: object) => Promise<unknown>,
  config: Config,
  { port = relayPort }: { port?: number } = {},
): Promise<void> {
  const log = createLog("relay", config.logLevel, config.stage);
  const { relayQueues } = config;
  if (relayQueues === undefined) throw new Error("A relay needs the address of its queues");
  const relay = await startRelay({
    invoke: (event) => handler(event, { functionName: socketFunction }),
    relays: new RelayStore(storeContext({ config, clock: systemClock })),
    queues: relayQueues,
    clock: systemClock,
    log,
  });
  const server = createServer(({ url = "" }, response) => {
    const [path = ""] = url.split("?");
    const isHealth = path === healthPath;
    if (isHealth) response.statusCode = relay.isReady() ? 200 : 503;
    else response.statusCode = socketTarget(path) === undefined ? 404 : 426;
    response.end();
  });
  server.on("upgrade", relay.upgrade);
  server.listen(port);
  await once(server, "listening");
  log.info("relay-started", { relayId: relay.id, address: server.address() });

  const metrics = setInterval(() => {
    emitMetric("OpenSockets", { value: relay.openSockets(), unit: "Count", service: "relay", log });
    const delay = relay.takeFrameDelay();
    if (delay !== undefined)
      emitMetric("FrameDelayMilliseconds", { value: delay, unit: "Milliseconds", service: "relay", log });
  }, metricsMilliseconds);

  const told = Promise.race(["SIGTERM", "SIGINT"].map((signal) => once(process, signal)));
  const isRemoved = await Promise.race([told.then(() => false), relay.removed.then(() => true)]);
  log.info("relay-ends", { relayId: relay.id, isRemoved, openSockets: relay.openSockets() });
  clearInterval(metrics);
  // Others have already given away what a removed relay had: its clients must come back immediately.
  await relay.drain(isRemoved ? 0 : drainSeconds);
  server.close();
  server.closeAllConnections();
}
