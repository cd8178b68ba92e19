// Runs a relay on the data of a stack, in a process of its own. Forked by `forkRelay`.
import { createDeps } from "#functions/events/websocket/deps.ts";
import { createHandler } from "#functions/events/websocket/handler.ts";
import { worker } from "#functions/events/websocket/worker.ts";
import { functionEnvironment } from "#lib/local/function-environment.ts";
import { serveRelay } from "#lib/relay/serve-relay.ts";
import { readConfig } from "#shared/platform/config.ts";
import { metered } from "#shared/platform/manifest.ts";
import { createWorkerFunction } from "#shared/runtime/worker-function.ts";
import type { RelayPlan } from "./fork-relay.ts";
import { stackConfig } from "./stack-config.ts";
import { skipSignatures } from "./unsigned-calls.ts";

const { environment, settingsFile, prefix, drainSeconds, limits } = JSON.parse(
  process.env.RELAY ?? "",
) as RelayPlan;
skipSignatures();
Object.assign(process.env, environment);
const { tableName, bucketName, queueUrl, secretId } = stackConfig(prefix);
const config = readConfig(
  functionEnvironment(metered(worker), {
    settingsFile,
    publicUrl: "http://127.0.0.1",
    docsAssets: "",
    logLevel: process.env.RELAY_LOG ?? "CRITICAL",
    socketsEndpoint: "",
    relayQueues: queueUrl("events").replace(/events\.fifo$/, "relay-"),
    tableName,
    bucketName,
    queueUrl,
    secretId,
  }),
);
const handler = createWorkerFunction({ worker, createDeps, createHandler }, config);
const { id, port, ended } = await serveRelay((event) => handler(event as never, {} as never), config, {
  port: 0,
  drainSeconds,
  limits,
});
process.send?.({ id, port });
await ended;
process.disconnect?.();
