// Runs the emulators, a stack and its console for one worker of the test run. It sends their addresses to its parent,
// and ends when the parent disconnects or dies.
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { startConsole } from "#lib/local/console/console.ts";
import { startEmulators } from "#lib/local/emulators/emulators.ts";
import { listenToPrograms } from "#lib/local/gateway/http-server.ts";
import { startStack } from "#lib/local/stack.ts";
import { dropOutbox } from "./drop-outbox.ts";
import { waitPatiently } from "./patient-calls.ts";
import { installQueueGate } from "./queue-gate.ts";
import { recordItems } from "./record-items.ts";
import type { SharedStack } from "./shared-stack.ts";
import { socketMode } from "./socket-mode.ts";
import { testSettings } from "./test-settings.ts";
import { storeUnknownFields } from "./unknown-fields.ts";
import { skipSignatures } from "./unsigned-calls.ts";

const abandoned = once(process, "disconnect");
// Ctrl+C reaches every process of the terminal, but this one must end only with its parent.
process.on("SIGINT", () => {});

waitPatiently();
skipSignatures();
if (process.env.UNKNOWN_FIELDS !== undefined) {
  const losses = new Set<string>();
  storeUnknownFields("test", (loss) => {
    if (!losses.has(loss)) appendFileSync(process.env.UNKNOWN_FIELDS as string, `${loss}\n`);
    losses.add(loss);
  });
}
const gate = await installQueueGate();
const emulators = await startEmulators();
Object.assign(process.env, emulators.environment, { LOG_LEVEL: "CRITICAL" });
const { RECORD_ITEMS } = process.env;
const finishRecording = RECORD_ITEMS === undefined ? undefined : await recordItems(RECORD_ITEMS);
const stack = await startStack({
  // Nothing gets lost here, but messages wait for tests that look for their effects.
  settings: { ...testSettings, outboxResendSeconds: 60 },
  prefix: "test",
  emulators,
  sockets: socketMode(),
  isPreloaded: false,
});
const effects = await listenToPrograms(async ({ url }, response) => {
  if (url === "/open") await gate.open();
  else gate.close();
  if (url === "/drop") await dropOutbox().then(gate.drop);
  response.end();
});
const console = await startConsole({ emulators, stack, port: 0 });
process.send?.({
  publicUrl: stack.publicUrl,
  internalUrl: stack.internalUrl,
  consoleUrl: console.url,
  effectsUrl: effects.url,
  environment: emulators.environment,
  folder: emulators.folder,
} satisfies SharedStack);

await abandoned;
await finishRecording?.();
await Promise.all([console.stop(), effects.stop()]);
await stack.stop();
await emulators.stop();
// A regular exit of Node may deadlock with the compiler that this process uses (nodejs/node#54918).
flushCompileCache();
process.kill(process.pid, "SIGKILL");
