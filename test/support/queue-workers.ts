import { AsyncLocalStorage } from "node:async_hooks";
import type { Message } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { workers } from "#functions/families.ts";
import { type LocalSqsQueue, load, type QueueStore } from "#lib/local/emulators/package-parts.ts";
import { handledOf, toRecord } from "#lib/local/emulators/queue-poller.ts";
import { runningFunction } from "#lib/local/running-function.ts";
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

/** Calls a worker of the instance that has sent the messages of an event. */
type Invoke = (sender: string | undefined, worker: string, event: SQSEvent) => Promise<unknown>;

/** What a queue triggers. */
interface Trigger {
  readonly worker: string;
  readonly batchSize: number;
  readonly concurrency: number;
}

/**
 * Queues whose messages wait until a test looks for their effects, of all stacks in this thread: those of what costs more
 * than the request that it follows from.
 */
const patient = /^(test|own-[0-9a-f]{8})-(mail|events|deliveries|native-pushes|search-index)(\.fifo)?$/;
/** Whatever takes longer than this does so on purpose: a test keeps a worker from its end. */
const longestMilliseconds = 20_000;
const patienceMilliseconds = 3000;
const usualConcurrency = 4;

/**
 * The event source mappings of the shared stack: they hand messages to workers in the thread of the emulator, without
 * polling. What a function has sent, a worker with the same settings and the same clock handles.
 */
export class QueueWorkers {
  #isOpen = false;
  #store: QueueStore | undefined;
  readonly #queues = new Set<Queue>();
  /** By how many wake-ups of each are under way. */
  readonly #receiving = new Map<Queue, number>();
  readonly #batches = new Map<Queue, Set<Promise<void>>>();
  readonly #timers = new Map<Queue, NodeJS.Timeout>();
  readonly #waiting = new Set<() => void>();
  readonly #triggers: ReadonlyMap<string, Trigger>;
  readonly #invoke: Invoke;
  /** Runs a task as if nothing had caused it: a worker must not take itself for the request that sent its messages. */
  readonly #apart = AsyncLocalStorage.snapshot();

  /** Work on the queues with a prefix. Call it before they are created. */
  static async start(prefix: string, invoke: Invoke): Promise<QueueWorkers> {
    const [{ SqsQueue, SqsStore }, { receiveMessage }] = await Promise.all([
      load("sqs/sqsStore.js"),
      load("sqs/actions/receiveMessage.js"),
    ]);
    const started = new QueueWorkers(prefix, invoke, receiveMessage);
    started.#patchQueues(SqsQueue.prototype as unknown as Queue);
    started.#patchStore(SqsStore.prototype);
    return started;
  }

  readonly #receiveMessage: Awaited<
    ReturnType<typeof load<"sqs/actions/receiveMessage.js">>
  >["receiveMessage"];

  private constructor(
    prefix: string,
    invoke: Invoke,
    receiveMessage: Awaited<ReturnType<typeof load<"sqs/actions/receiveMessage.js">>>["receiveMessage"],
  ) {
    this.#triggers = triggersOf(prefix);
    this.#invoke = invoke;
    this.#receiveMessage = receiveMessage;
  }

  /** Let messages pass. Resolves when those that have waited, and what has followed from them, are handled. */
  async open(): Promise<void> {
    this.#isOpen = true;
    for (const queue of this.#queues) if (hasReceivable(queue)) queue.notifyWaiters();
    if (this.#isIdle()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timers = [
      setTimeout(resolve, longestMilliseconds),
      // A stack of a test's own says nothing of messages that failed.
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
    const { worker, batchSize, concurrency } = trigger;
    while (batches.size < concurrency) {
      const messages = await this.#take(queue, batchSize);
      if (messages.length === 0) break;
      const batch: Promise<void> = this.#handle(queue, worker, messages)
        .catch(console.error)
        .finally(() => {
          batches.delete(batch);
          this.#wake(queue);
        });
      batches.add(batch);
    }
    this.#wakeLater(queue);
  }

  async #take({ url }: Queue, MaxNumberOfMessages: number): Promise<Message[]> {
    const { Messages = [] } = await this.#receiveMessage(
      {
        QueueUrl: url,
        MaxNumberOfMessages,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      },
      this.#store as QueueStore,
    );
    return Messages;
  }

  async #handle(queue: Queue, worker: string, messages: readonly Message[]): Promise<void> {
    const senderOf = ({ ReceiptHandle = "" }: Message) =>
      (queue.inflightMessages.get(ReceiptHandle)?.message as StoredMessage | undefined)?.sender;
    const events = [...Map.groupBy(messages, senderOf)].map(async ([sender, ofSender]) => {
      const Records = ofSender.map((message) => toRecord(message, queue.arn));
      const result = await this.#invoke(sender, worker, { Records });
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

function triggersOf(prefix: string): ReadonlyMap<string, Trigger> {
  return new Map(
    workers.flatMap(({ name: worker, trigger }) => {
      if (!("queue" in trigger)) return [];
      const spec: QueueSpec & { batchSize: number } = queues[trigger.queue];
      const { batchSize, concurrency = usualConcurrency } = spec;
      const name = `${prefix}-${trigger.queue}${spec.isFifo ? ".fifo" : ""}`;
      return [[name, { worker, batchSize, concurrency }]];
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
