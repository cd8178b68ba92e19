// Runs the emulators, a stack and its console for one worker of the test run. It sends their addresses to its parent,
// and ends when the parent disconnects or dies.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { startConsole } from "#lib/local/console/console.ts";
import { startEmulators } from "#lib/local/emulators/emulators.ts";
import { startStack } from "#lib/local/stack.ts";
import { waitPatiently } from "./patient-calls.ts";
import type { SharedStack } from "./shared-stack.ts";
import { socketMode } from "./socket-mode.ts";
import { testSettings } from "./test-settings.ts";
import { skipSignatures } from "./unsigned-calls.ts";

const abandoned = once(process, "disconnect");
// Ctrl+C reaches every process of the terminal, but this one must end only with its parent.
process.on("SIGINT", () => {});

waitPatiently();
skipSignatures();
const emulators = await startEmulators();
Object.assign(process.env, emulators.environment, { LOG_LEVEL: "CRITICAL" });
const stack = await startStack({
  settings: testSettings,
  prefix: "test",
  emulators,
  sockets: socketMode(),
  isPreloaded: false,
});
const console = await startConsole({ emulators, stack, port: 0 });
process.send?.({
  publicUrl: stack.publicUrl,
  internalUrl: stack.internalUrl,
  consoleUrl: console.url,
  environment: emulators.environment,
  folder: emulators.folder,
} satisfies SharedStack);

await abandoned;
await console.stop();
await stack.stop();
await emulators.stop();
// A regular exit of Node may deadlock with the compiler that this process uses (nodejs/node#54918).
flushCompileCache();
process.kill(process.pid, "SIGKILL");
