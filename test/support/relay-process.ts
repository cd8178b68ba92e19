// Runs a relay on the data of a stack, in a process of its own. Forked by `forkRelay`.
import { createDeps as createUploadDeps } from "#functions/assets/assets/deps.ts";
import { family } from "#functions/assets/assets/family.ts";
import { createHandlers } from "#functions/assets/assets/handlers.ts";
import { createDeps } from "#functions/events/websocket/deps.ts";
import { createHandler } from "#functions/events/websocket/handler.ts";
import { worker } from "#functions/events/websocket/worker.ts";
import { functionEnvironment } from "#lib/local/function-environment.ts";
import { serveRelay } from "#lib/relay/serve-relay.ts";
import { readConfig, variables } from "#shared/platform/config.ts";
import { audited, type FunctionAccess, metered } from "#shared/platform/manifest.ts";
import { createApiFunction } from "#shared/runtime/api-function.ts";
import { createWorkerFunction } from "#shared/runtime/worker-function.ts";
import type { RelayPlan } from "./fork-relay.ts";
import { stackConfig } from "./stack-config.ts";
import { skipSignatures } from "./unsigned-calls.ts";

const {
  environment,
  settingsFile,
  prefix,
  drainSeconds,
  uploads = 0,
  limits,
} = JSON.parse(process.env.RELAY ?? "") as RelayPlan;
const ofUploads = { family: audited(family), createDeps: createUploadDeps, createHandlers };
skipSignatures();
Object.assign(process.env, environment);
const { tableName, bucketName, queueUrl, secretId } = stackConfig(prefix);
const environmentOf = (manifest: FunctionAccess) =>
  functionEnvironment(metered(manifest), {
    settingsFile,
    publicUrl: "http://127.0.0.1",
    docsAssets: "",
    logLevel: process.env.RELAY_LOG ?? "CRITICAL",
    socketsEndpoint: "",
    relayQueues: queueUrl("events").replace(/events\.fifo$/, "relay-"),
    hasEntrance: uploads > 0,
    tableName,
    bucketName,
    queueUrl,
    secretId,
  });
const config = readConfig({
  ...environmentOf(worker),
  ...(uploads > 0 && { ...environmentOf(ofUploads.family), [variables.relayUploads]: String(uploads) }),
});
const handler = createWorkerFunction({ worker, createDeps, createHandler }, config);
const { id, port, ended } = await serveRelay((event) => handler(event as never, {} as never), config, {
  uploads: {
    family: ofUploads.family,
    createHandler: () => createApiFunction(ofUploads, config) as never,
  },
  port: 0,
  drainSeconds,
  limits,
});
process.send?.({ id, port });
await ended;
process.disconnect?.();
