// Restores tables until it is about to make a certain AWS call; then the process kills itself, as if the operator's machine
// had failed. Forked by `forkDoomedRestore`.
import { once } from "node:events";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { restore } from "#lib/restore/restore.ts";
import type { DoomedRestore } from "./fork-doomed-restore.ts";
import { waitPatiently } from "./patient-calls.ts";
import { answerRestores } from "./point-in-time.ts";

const [{ options, snapshot, action, mentions }] = (await once(process, "message")) as [DoomedRestore];
waitPatiently();
answerRestores(snapshot);
interceptAwsCalls((call, send) => {
  if (call.action === action && mentions.every((mention) => call.body.includes(mention)))
    process.kill(process.pid, "SIGKILL");
  return send();
});
await restore(options);
process.disconnect();
