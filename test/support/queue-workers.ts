import { AsyncLocalStorage } from "node:async_hooks";
import type { Message } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { workers } from "#functions/families.ts";
import { type LocalSqsQueue, load, type QueueStore } from "#lib/local/emulators/package-parts.ts";
import { handledOf, toRecord } from "#lib/local/emulators/queue-poller.ts";
import { addTraceHeaders } from "#lib/local/emulators/trace-headers.ts";
import { runningFunction } from "#lib/local/running-function.ts";
import type { Background, Report } from "#lib/local/timer.ts";
import { type QueueSpec, queues } from "#shared/registry/queues.ts";

interface Queue
  extends Pick<
    LocalSqsQueue,
    | "name"
    | "arn"
    | "changeVisibility"
    | "url"
    | "dequeue"
    | "deleteMessage"
    | "inflightMessages"
    | "inspectMessages"
    | "isFifo"
    | "purge"
  > {
  /** Private only to the type checker, like the next. */
  notifyWaiters(): void;
  hasAvailableFifoMessages(): boolean;
  enqueue(message: StoredMessage): void;
}

interface StoredMessage {
  readonly delayUntil?: number;
  /** The instance whose function has sent it. */
  sender?: string | undefined;
}

/** The workers of a stack. */
export interface WorkerTarget {
  /** Calls a worker of the instance that has sent the messages of an event. */
  readonly invoke: (worker: string, event: SQSEvent, sender: string | undefined) => Promise<unknown>;
  /** Called with what a worker throws. */
  readonly report: Report;
}

/** A worker that a queue triggers. */
interface Trigger extends WorkerTarget {
  readonly worker: string;
  readonly batchSize: number;
  readonly concurrency: number;
}

/**
 * Queues, of all stacks in this thread, whose messages wait until a test looks for their effects: their work costs more
 * than the request that caused it.
 */
const patient = /^(test|own-[0-9a-f]{8})-(mail|events|deliveries|native-pushes|search-index)(\.fifo)?$/;
/** A worker that takes longer does so on purpose: a test holds it up. */
const longestMilliseconds = 20_000;
const patienceMilliseconds = 3000;
const usualConcurrency = 4;

/**
 * The event source mappings of the stacks in this thread: they hand messages to workers in the thread of the emulator,
 * without polling.
 */
export class QueueWorkers {
  #isOpen = false;
  #store: QueueStore | undefined;
  readonly #queues = new Set<Queue>();
  /** Number of wake-ups under way, by queue. */
  readonly #receiving = new Map<Queue, number>();
  readonly #batches = new Map<Queue, Set<Promise<void>>>();
  readonly #timers = new Map<Queue, NodeJS.Timeout>();
  readonly #waiting = new Set<() => void>();
  /** By the name of the queue. */
  readonly #triggers = new Map<string, Trigger>();
  /**
   * Runs a task as if nothing had caused it: a worker must not inherit the context of the request that sent its
   * messages.
   */
  readonly #apart = AsyncLocalStorage.snapshot();

  /** Call it before queues are created. */
  static async start(): Promise<QueueWorkers> {
    const [{ SqsQueue, SqsStore }, { receiveMessage }] = await Promise.all([
      load("sqs/sqsStore.js"),
      load("sqs/actions/receiveMessage.js"),
    ]);
    const started = new QueueWorkers(receiveMessage);
    started.#patchQueues(SqsQueue.prototype as unknown as Queue);
    started.#patchStore(SqsStore.prototype);
    return started;
  }

  readonly #receiveMessage: Awaited<
    ReturnType<typeof load<"sqs/actions/receiveMessage.js">>
  >["receiveMessage"];

  private constructor(
    receiveMessage: Awaited<ReturnType<typeof load<"sqs/actions/receiveMessage.js">>>["receiveMessage"],
  ) {
    this.#receiveMessage = receiveMessage;
  }

  /** Hand the messages of the queues with a prefix to their workers, until it is stopped. */
  work(prefix: string, target: WorkerTarget): Background {
    const triggers = triggersOf(prefix, target);
    for (const [name, trigger] of triggers) this.#triggers.set(name, trigger);
    const own = [...this.#queues].filter(({ name }) => triggers.has(name));
    for (const queue of own) this.#wake(queue);
    return {
      stop: async () => {
        for (const [name] of triggers) this.#triggers.delete(name);
        for (const queue of own) {
          clearTimeout(this.#timers.get(queue));
          this.#queues.delete(queue);
        }
        await Promise.all(own.flatMap((queue) => [...(this.#batches.get(queue) ?? [])]));
        this.#tellWhenIdle();
      },
    };
  }

  /** Let messages pass. Resolves when those that have waited, and what has followed from them, are handled. */
  async open(): Promise<void> {
    this.#isOpen = true;
    for (const queue of this.#queues) if (hasReceivable(queue)) queue.notifyWaiters();
    if (this.#isIdle()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timers = [
      setTimeout(resolve, longestMilliseconds),
      // A stack in a process of its own does not report messages that failed.
      setTimeout(
        () => this.#isIdle((queue) => this.#triggers.has(queue.name)) && resolve(),
        patienceMilliseconds,
      ),
    ];
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    for (const timer of timers) clearTimeout(timer);
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Drop all messages, and wait for those that workers have. */
  async drop(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    for (const queue of this.#queues) queue.purge();
    await Promise.all([...this.#batches.values()].flatMap((batches) => [...batches]));
    for (const queue of this.#queues) queue.purge();
  }

  #patchStore(prototype: QueueStore): void {
    const { createQueue, deleteQueue } = prototype;
    const workers = this;
    prototype.createQueue = function createKnownQueue(this: QueueStore, ...options) {
      const queue = createQueue.apply(this, options);
      workers.#store = this;
      workers.#queues.add(queue as unknown as Queue);
      return queue;
    };
    prototype.deleteQueue = function forgetQueue(this: QueueStore, url) {
      workers.#queues.delete(this.getQueue(url) as unknown as Queue);
      return deleteQueue.call(this, url);
    };
  }

  #patchQueues(prototype: Queue): void {
    const { dequeue, notifyWaiters, enqueue, deleteMessage, changeVisibility } = prototype;
    const workers = this;
    prototype.enqueue = function enqueueOfSender(this: Queue, message) {
      message.sender ??= runningFunction.getStore()?.instance;
      enqueue.call(this, message);
      if (message.delayUntil !== undefined) workers.#wakeLater(this);
    };
    prototype.dequeue = function dequeueWhenOpen(this: Queue, ...options) {
      return workers.#passes(this) ? dequeue.apply(this, options) : [];
    };
    prototype.notifyWaiters = function notifyWhenOpen(this: Queue) {
      if (!workers.#passes(this)) return;
      notifyWaiters.call(this);
      workers.#wake(this);
    };
    prototype.changeVisibility = function changeAndWake(this: Queue, ...options) {
      changeVisibility.apply(this, options);
      workers.#wakeLater(this);
    };
    prototype.deleteMessage = function deleteAndTell(this: Queue, handle) {
      const isDeleted = deleteMessage.call(this, handle);
      workers.#tellWhenIdle();
      return isDeleted;
    };
  }

  #passes({ name }: Queue): boolean {
    return this.#isOpen || !patient.test(name);
  }

  #wake(queue: Queue): void {
    const trigger = this.#triggers.get(queue.name);
    if (trigger === undefined) return;
    const batches = this.#batches.get(queue) ?? new Set();
    this.#batches.set(queue, batches);
    this.#receiving.set(queue, (this.#receiving.get(queue) ?? 0) + 1);
    // Messages that are sent together are received together.
    const receive = async () => {
      await this.#receive(queue, trigger, batches).catch(console.error);
      const others = (this.#receiving.get(queue) ?? 1) - 1;
      if (others === 0) this.#receiving.delete(queue);
      else this.#receiving.set(queue, others);
      this.#tellWhenIdle();
    };
    setImmediate(() => this.#apart(receive));
  }

  async #receive(queue: Queue, trigger: Trigger, batches: Set<Promise<void>>): Promise<void> {
    const { batchSize, concurrency } = trigger;
    while (batches.size < concurrency) {
      const messages = await this.#take(queue, batchSize);
      if (messages.length === 0) break;
      const batch: Promise<void> = this.#handle(queue, trigger, messages)
        .catch(trigger.report)
        .finally(() => {
          batches.delete(batch);
          this.#wake(queue);
        });
      batches.add(batch);
    }
    this.#wakeLater(queue);
  }

  async #take(queue: Queue, MaxNumberOfMessages: number): Promise<Message[]> {
    const { Messages = [] } = await this.#receiveMessage(
      {
        QueueUrl: queue.url,
        MaxNumberOfMessages,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      },
      this.#store as QueueStore,
    );
    addTraceHeaders(queue, Messages);
    return Messages;
  }

  async #handle(queue: Queue, { worker, invoke }: Trigger, messages: readonly Message[]): Promise<void> {
    const senderOf = ({ ReceiptHandle = "" }: Message) =>
      (queue.inflightMessages.get(ReceiptHandle)?.message as StoredMessage | undefined)?.sender;
    const events = [...Map.groupBy(messages, senderOf)].map(async ([sender, ofSender]) => {
      const Records = ofSender.map((message) => toRecord(message, queue.arn));
      const result = await invoke(worker, { Records }, sender);
      const { batchItemFailures = [] } = (result ?? {}) as Partial<SQSBatchResponse>;
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { ReceiptHandle = "" } of handledOf(ofSender, failed)) queue.deleteMessage(ReceiptHandle);
    });
    await Promise.all(events);
  }

  /** Receive again when a message is due that is delayed, or that its worker has not handled. */
  #wakeLater(queue: Queue): void {
    clearTimeout(this.#timers.get(queue));
    if (!this.#triggers.has(queue.name)) return;
    const { delayed, inflight } = queue.inspectMessages();
    const due = Math.min(
      ...delayed.map(({ delayUntil = 0 }) => delayUntil),
      ...inflight.map(({ visibilityDeadline }) => visibilityDeadline),
    );
    if (due === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(() => this.#wake(queue), Math.max(0, due - Date.now()) + 1);
    this.#timers.set(queue, timer.unref());
  }

  /** Whether nothing waits or is being handled in patient queues: workers of others may wait for services of tests. */
  #isIdle(isMeant: (queue: Queue) => boolean = () => true): boolean {
    return [...this.#queues].filter(isMeant).every((queue) => {
      if (!patient.test(queue.name)) return true;
      if (this.#receiving.has(queue) || (this.#batches.get(queue)?.size ?? 0) > 0) return false;
      return this.#triggers.has(queue.name) ? !hasReceivable(queue) : isEmpty(queue);
    });
  }

  #tellWhenIdle(): void {
    if (this.#waiting.size > 0 && this.#isIdle()) for (const tell of this.#waiting) tell();
  }
}

function triggersOf(prefix: string, target: WorkerTarget): ReadonlyMap<string, Trigger> {
  return new Map(
    workers.flatMap(({ name: worker, trigger }) => {
      if (!("queue" in trigger)) return [];
      const spec: QueueSpec & { batchSize: number } = queues[trigger.queue];
      const { batchSize, concurrency = usualConcurrency } = spec;
      const name = `${prefix}-${trigger.queue}${spec.isFifo ? ".fifo" : ""}`;
      return [[name, { ...target, worker, batchSize, concurrency }]];
    }),
  );
}

/** Whether a message can be received now: what a worker has not handled waits for its time-out, and so does its group. */
const hasReceivable = (queue: Queue): boolean =>
  queue.isFifo() ? queue.hasAvailableFifoMessages() : queue.inspectMessages().ready.length > 0;

function isEmpty(queue: Queue): boolean {
  const { ready, inflight } = queue.inspectMessages();
  return ready.length + inflight.length === 0;
}
