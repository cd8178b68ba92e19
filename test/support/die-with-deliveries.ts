// Imported into a runner ahead of it: kills its process as soon as an event is nowhere but in the queue `deliveries`.
// Nothing is delivered from then on. The variable names the text of the event that counts.
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";

const mention = process.env.DIE_WITH_DELIVERY_OF ?? "";
let isQueued = false;

interceptAwsCalls(async ({ action, body }, send) => {
  if (action === "SendMessageBatch" && body.includes("-deliveries") && body.includes(mention))
    isQueued = true;
  if (isQueued && action === "BatchExecuteStatement") await new Promise(() => {});
  const answer = await send();
  const isCompletion =
    action === "BatchWriteItem" && body.includes("DeleteRequest") && body.includes("events#");
  if (isQueued && isCompletion) process.kill(process.pid, "SIGKILL");
  return answer;
});
