// Runs a stack until it is about to make a certain AWS call; then the process kills itself, as if the machine had
// failed. Forked by `forkDoomedStack`.
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { startStack } from "#lib/local/stack.ts";
import type { Doom } from "./fork-doomed-stack.ts";
import { waitPatiently } from "./patient-calls.ts";
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
waitPatiently();
Object.assign(process.env, environment, { LOG_LEVEL: "CRITICAL" });
const stack = await startStack({ settings, prefix, emulators: { environment, folder }, isPreloaded: false });
let count = 0;
interceptAwsCalls(async (call, send) => {
  if (call.action !== action || !call.body.includes(mention)) return send();
  const isLast = ++count === number;
  if (isLast && !isAfterwards) process.kill(process.pid, "SIGKILL");
  const answer = await send();
  const hasEffect = answer.response.statusCode < 300;
  if (!hasEffect) count--;
  if (isLast && hasEffect) process.kill(process.pid, "SIGKILL");
  return answer;
});
process.on("disconnect", () => stack.stop());
process.send?.({ publicUrl: stack.publicUrl, internalUrl: stack.internalUrl });
