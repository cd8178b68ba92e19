import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { socketCheck, socketClosure } from "#shared/events/sockets/socket-closure.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { closeDueSockets } from "./close-due-sockets.ts";
import type { Deps } from "./deps.ts";

/** Handle messages from the queue `socket-closures`: closures from the outbox, and requests to check a user's sockets. */
export function createHandler(deps: Deps) {
  const { checks, clock, log, outbox } = deps;
  const close = createLeasedWorker(
    outbox,
    ({ payload }) => closeDueSockets(deps, socketClosure.parse(payload)),
    { ...deps, queue: "socket-closures" },
  );

  async function handle(record: SQSRecord): Promise<SQSBatchResponse> {
    const request = socketCheck.safeParse(JSON.parse(record.body)).data;
    if (request === undefined) return close({ Records: [record] });
    try {
      const { checkedUserId: userId, notBefore } = request;
      if (notBefore > clock()) await checks.request(request);
      else await closeDueSockets(deps, { userId });
      return { batchItemFailures: [] };
    } catch (error) {
      log.error("socket-check-failed", { sqsMessageId: record.messageId, error: error as Error });
      return { batchItemFailures: [{ itemIdentifier: record.messageId }] };
    }
  }

  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const results = await Promise.all(Records.map(handle));
    return { batchItemFailures: results.flatMap(({ batchItemFailures }) => batchItemFailures) };
  };
}
