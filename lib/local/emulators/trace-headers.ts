import { AsyncLocalStorage } from "node:async_hooks";
import type { Message } from "@aws-sdk/client-sqs";
import { type LocalSqsQueue, load } from "./package-parts.ts";

interface TracedMessage {
  traceHeader?: string;
}

/** Private only to the type checker. */
interface Queue {
  enqueue(message: TracedMessage): void;
}

/** The header of the request that is being answered. */
const requestHeader = new AsyncLocalStorage<string | undefined>();

let isKept = false;

/**
 * Let queues keep the trace header of requests with their messages, as SQS does and the package does not. The headers
 * are lost with the process, so counting starts again in a chain of messages that continues after a restart.
 */
export async function keepTraceHeaders(): Promise<void> {
  if (isKept) return;
  isKept = true;
  const { SqsQueue } = await load("sqs/sqsStore.js");
  const prototype = SqsQueue.prototype as unknown as Queue;
  const { enqueue } = prototype;
  prototype.enqueue = function enqueueTraced(this: Queue, message) {
    const traceHeader = requestHeader.getStore();
    // A message that moves to the dead-letter queue keeps its header.
    if (traceHeader !== undefined) message.traceHeader ??= traceHeader;
    enqueue.call(this, message);
  };
}

/** Run the handler of a request. */
export const withTraceHeader = (header: string | string[] | undefined, run: () => void): void =>
  requestHeader.run(header === undefined ? undefined : String(header), run);

/** Give received messages the attribute in which SQS passes trace headers on. */
export function addTraceHeaders(
  queue: Pick<LocalSqsQueue, "inflightMessages"> | undefined,
  messages: readonly Message[],
): void {
  for (const message of messages) {
    const received = queue?.inflightMessages.get(message.ReceiptHandle ?? "");
    const { traceHeader } = (received?.message ?? {}) as TracedMessage;
    if (traceHeader !== undefined)
      message.Attributes = { ...message.Attributes, AWSTraceHeader: traceHeader };
  }
}
