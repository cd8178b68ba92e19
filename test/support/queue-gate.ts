import { type LocalSqsQueue, load } from "#lib/local/emulators/package-parts.ts";

/**
 * Queues whose messages nobody receives while the gate is closed, of all stacks that use the emulators of this process:
 * those of what costs more than the request that it follows from.
 */
const gated = /^(test|own-[0-9a-f]{8})-(mail|events|deliveries|native-pushes|search-index)(\.fifo)?$/;

interface Queue extends Pick<LocalSqsQueue, "name" | "dequeue" | "inspectMessages" | "purge"> {
  /** Private only to the type checker. */
  notifyWaiters(): void;
}

/** Holds back what queues have for workers until a test is about to look for its effects. */
export interface QueueGate {
  /** Let messages pass. Resolves when those that have waited are handled. */
  open(): Promise<void>;
  close(): void;
  /** Drop all messages. */
  drop(): void;
}

const pollMilliseconds = 5;
/** Whatever waits longer than this does so on purpose: a test has broken something. */
const longestMilliseconds = 3000;

/** Put a closed gate before the queues of the SQS emulator of this process. */
export async function installQueueGate(): Promise<QueueGate> {
  const { SqsQueue } = await load("sqs/sqsStore.js");
  const prototype = SqsQueue.prototype as unknown as Queue;
  const { dequeue, notifyWaiters } = prototype;
  const queues = new Set<Queue>();
  let isOpen = false;

  prototype.dequeue = function gatedDequeue(this: Queue, ...options) {
    if (!gated.test(this.name)) return dequeue.apply(this, options);
    queues.add(this);
    return isOpen ? dequeue.apply(this, options) : [];
  };
  prototype.notifyWaiters = function gatedWake(this: Queue) {
    const isGated = gated.test(this.name);
    // Its poller may not ask again for as long as a long poll lasts.
    if (isGated) queues.add(this);
    if (isOpen || !isGated) notifyWaiters.apply(this);
  };
  const isEmpty = (queue: Queue) => {
    const { ready, inflight } = queue.inspectMessages();
    return ready.length + inflight.length === 0;
  };
  return {
    async open() {
      if (isOpen) return;
      isOpen = true;
      for (const queue of queues) if (queue.inspectMessages().ready.length > 0) queue.notifyWaiters();
      const giveUpAt = performance.now() + longestMilliseconds;
      while (isOpen && ![...queues].every(isEmpty) && performance.now() < giveUpAt) {
        await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
      }
    },
    close() {
      isOpen = false;
    },
    drop() {
      for (const queue of queues) queue.purge();
      queues.clear();
    },
  };
}
