import { type LocalSqsQueue, load } from "./package-parts.ts";

interface Queue extends Pick<LocalSqsQueue, "dequeue" | "inflightMessages" | "isFifo"> {
  /** Private only to the type checker. */
  fifoMessages: Map<string, Waiting[]>;
  /** Number of messages that receivers hold, by group. */
  fifoLockedGroups: Map<string, number>;
}

interface Waiting {
  readonly sequenceNumber?: string;
}

/** Most messages that SQS delivers in one answer. */
const largestBatch = 10;

/**
 * Let receivers of the FIFO queues of this process get several messages of one group at a time, in order, as SQS does
 * under load; the package only gives them one. Returned messages are put to the front one by one, and so in reverse
 * order, which is corrected. For measurements of the throughput of a group; `npm start` does not need it. Call it once.
 */
export async function batchGroups(): Promise<void> {
  const { SqsQueue } = await load("sqs/sqsStore.js");
  const prototype = SqsQueue.prototype as unknown as Queue;
  const { dequeue } = prototype;

  prototype.dequeue = function dequeueWithGroups(this: Queue, maxCount, ...options) {
    if (!this.isFifo()) return dequeue.call(this, maxCount, ...options);
    for (const waiting of this.fifoMessages.values()) putInOrder(waiting);
    const received: ReturnType<Queue["dequeue"]> = [];
    const taken = new Map<string, number>();
    for (;;) {
      const more = dequeue.call(this, maxCount - received.length, ...options);
      received.push(...more);
      for (const { ReceiptHandle } of more) {
        const group = this.inflightMessages.get(ReceiptHandle)?.message.messageGroupId;
        if (group === undefined) continue;
        taken.set(group, (taken.get(group) ?? 0) + 1);
        // The group stays open to this receiver until all of its messages are counted.
        this.fifoLockedGroups.delete(group);
      }
      if (more.length === 0 || received.length >= maxCount) break;
    }
    for (const [group, count] of taken) this.fifoLockedGroups.set(group, count);
    return received;
  };
}

/** Only the front can be out of order, up to the number of messages that a receiver held. */
function putInOrder(waiting: Waiting[]): void {
  const front = waiting.slice(0, largestBatch + 1).map(numberOf);
  if (front.every((number, index) => index === 0 || (front[index - 1] ?? "") < number)) return;
  waiting.sort((one, other) => (numberOf(one) < numberOf(other) ? -1 : 1));
}

const numberOf = ({ sequenceNumber = "" }: Waiting) => sequenceNumber;
