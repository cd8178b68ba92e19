import { randomUUID } from "node:crypto";
import { QueueDoesNotExist, SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { Config } from "#shared/platform/config.ts";
import type { Log } from "#shared/platform/log.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import type { CloseOutcome, Poster, PostOutcome, SocketState } from "./poster.ts";
import { groupOf, type RelayOrder, relayOf, relayQueue } from "./relay.ts";
import type { RelayStore } from "./relay-store.ts";

/** Bytes for orders in one call of SQS, in one message or several. */
const maxBatchBytes = 1024 * 1024 - 4096;
/** Upper bound of a frame for a relay; escaping in a message of SQS may lower it. */
export const maxRelayFrameBytes = maxBatchBytes;
/** A frame of this size fits even if all of it has to be escaped. */
const certainlyFittingBytes = 128 * 1024;

/** Outcome of sending an order. */
type Sent = Extract<PostOutcome, "posted" | "gone" | "failed">;

interface Waiting {
  readonly socketId: string;
  readonly text: string;
  readonly bytes: number;
  resolve(outcome: Sent): void;
}

/**
 * Sends frames to sockets of relays, through the relays' queues. Orders for the same relay share a call if they are
 * posted in the same turn or wait for the call before. A relay reports a socket that it does not have as closed.
 */
export class RelayPoster implements Poster {
  readonly #sqs: SQSClient;
  readonly #relays: RelayStore;
  readonly #queues: string;
  readonly #log: Log;
  readonly #callMilliseconds: number;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor({
    config,
    log,
    relays,
    queues,
  }: {
    config: Pick<Config, "settings">;
    log: Log;
    relays: RelayStore;
    /** Prefix of the URLs of the relays' queues. */
    queues: string;
  }) {
    this.#sqs = new SQSClient({ ...awsClientOptions(), maxAttempts: 2 });
    this.#relays = relays;
    this.#queues = queues;
    this.#log = log;
    this.#callMilliseconds = config.settings.socketPostMilliseconds;
  }

  fits(socketId: string, frame: string): boolean {
    const bytes = Buffer.byteLength(frame);
    if (bytes <= certainlyFittingBytes) return true;
    return (
      bytes <= maxRelayFrameBytes && Buffer.byteLength(toSqsText({ socketId, frame })) + 1 <= maxBatchBytes
    );
  }

  async post(socketId: string, frame: string): Promise<PostOutcome> {
    const outcome = await this.#send({ socketId, frame });
    if (outcome === "failed")
      emitMetric("FailedPosts", { value: 1, unit: "Count", queue: "events", log: this.#log });
    return outcome;
  }

  /** A relay keeps frames for a socket whose handshake it has not answered yet, so the socket counts as open. */
  async stateOf(socketId: string): Promise<SocketState> {
    try {
      if (!(await this.#relays.isAlive(relayOf(socketId) ?? ""))) return "gone";
    } catch (error) {
      this.#log.warn("socket-check-failed", { socketId, error: error as Error });
      return "unknown";
    }
    return (await this.#send({ socketId })) === "gone" ? "gone" : "open";
  }

  async close(socketId: string): Promise<CloseOutcome> {
    const outcome = await this.#send({ socketId, close: true });
    if (outcome === "posted") return "closed";
    if (outcome === "gone") return "gone";
    try {
      return (await this.#relays.orderClosing(relayOf(socketId) ?? "", socketId)) ? "closed" : "gone";
    } catch (error) {
      this.#log.warn("socket-close-failed", { socketId, error: error as Error });
      return "failed";
    }
  }

  #send(order: RelayOrder): Promise<Sent> {
    const { socketId } = order;
    const relayId = relayOf(socketId);
    if (relayId === undefined) return Promise.resolve("gone");
    const text = toSqsText(order);
    return new Promise((resolve) => {
      const job = { socketId, text, bytes: Buffer.byteLength(text) + 1, resolve };
      const waiting = this.#waiting.get(relayId);
      waiting?.push(job);
      if (waiting !== undefined) return;
      const jobs = [job];
      this.#waiting.set(relayId, jobs);
      setImmediate(() => this.#sendAll(relayId, jobs));
    });
  }

  /** Sends to one relay, one call after the other, until nothing waits, so that frames of a socket keep their order. */
  async #sendAll(relayId: string, jobs: Waiting[]): Promise<void> {
    const queueUrl = relayQueue(this.#queues, relayId);
    while (jobs.length > 0) await this.#sendBatch(queueUrl, jobs.splice(0, fittingOf(jobs)));
    this.#waiting.delete(relayId);
  }

  async #sendBatch(queueUrl: string, jobs: readonly Waiting[]): Promise<void> {
    const groups = [...Map.groupBy(jobs, ({ socketId }) => groupOf(socketId))];
    let outcome: Sent = "posted";
    const refused = new Set<string>();
    try {
      const { Failed = [] } = await this.#sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: queueUrl,
          Entries: groups.map(([group, ofGroup]) => ({
            Id: group,
            MessageBody: `{"orders":[${ofGroup.map(({ text }) => text).join(",")}]}`,
            MessageGroupId: group,
            MessageDeduplicationId: randomUUID(),
          })),
        }),
        { abortSignal: AbortSignal.timeout(this.#callMilliseconds) },
      );
      for (const { Id, Code } of Failed) {
        refused.add(Id ?? "");
        this.#log.warn("relay-orders-refused", { queueUrl, code: Code });
      }
    } catch (error) {
      outcome = error instanceof QueueDoesNotExist ? "gone" : "failed";
      if (outcome === "failed") this.#log.warn("relay-orders-failed", { queueUrl, error: error as Error });
    }
    for (const [group, ofGroup] of groups) {
      for (const { resolve } of ofGroup) resolve(refused.has(group) ? "failed" : outcome);
    }
  }
}

/** How many of the jobs fit into one call: at least one. */
function fittingOf(jobs: readonly Waiting[]): number {
  let bytes = 0;
  const tooMany = jobs.findIndex((job) => {
    bytes += job.bytes;
    return bytes > maxBatchBytes;
  });
  return tooMany < 0 ? jobs.length : Math.max(1, tooMany);
}
