// Runs a stack until it is about to make a certain AWS call; then the process kills itself, as if the machine had
// failed. Forked by `forkDoomedStack`.
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { startStack } from "#lib/local/stack.ts";
import type { Doom } from "./fork-doomed-stack.ts";
import { skipSignatures } from "./unsigned-calls.ts";

const {
  environment,
  folder,
  prefix,
  settings,
  action,
  mention,
  number = 1,
  isAfterwards,
} = JSON.parse(process.env.DOOM ?? "") as Doom;
skipSignatures();
Object.assign(process.env, environment, { LOG_LEVEL: "CRITICAL" });
const stack = await startStack({ settings, prefix, emulators: { environment, folder }, isPreloaded: false });
let count = 0;
interceptAwsCalls(async (call, send) => {
  const isLast = call.action === action && call.body.includes(mention) && ++count === number;
  if (isLast && isAfterwards) await send();
  if (isLast) process.kill(process.pid, "SIGKILL");
  return send();
});
process.on("disconnect", () => stack.stop());
process.send?.({ publicUrl: stack.publicUrl, internalUrl: stack.internalUrl });
