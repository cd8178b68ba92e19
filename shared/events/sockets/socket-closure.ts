import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import type { Clock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { queues } from "#shared/registry/queues.ts";

/** Message of the outbox for the queue `socket-closures`: a user who has lost sessions or a device. */
export const socketClosure = z.object({
  userId: z.uuid(),
  /** The device that was removed, and when (unix milliseconds): it may be registered again. */
  removedDevice: z.object({ clientId: z.string(), at: z.int() }).optional(),
});
export type SocketClosure = z.infer<typeof socketClosure>;

/** Creates the message that closes the sockets of ended sessions, and of a removed device. */
export const closeSockets = (outbox: Outbox, closure: SocketClosure): OutboxMessage =>
  outbox.message("socket-closures", closure);

/** Other message of the queue: a user whose sockets are to be checked, from a given time on. */
export const socketCheck = z.object({
  checkedUserId: z.uuid(),
  /** The socket that is expected to end; if it stays open, its next expected end is checked. */
  socketId: z.string().optional(),
  /** Unix milliseconds. */
  notBefore: z.int(),
});
export type SocketCheck = z.infer<typeof socketCheck>;

const { longestDelaySeconds } = queues["socket-closures"];

/** Requests checks for sockets that may have ended or are too many. */
export class SocketChecks {
  readonly #sqs: SQSClient;
  readonly #queueUrl: string;
  readonly #clock: Clock;

  constructor({ sqs, config, clock }: { sqs: SQSClient; config: Pick<Config, "queueUrl">; clock: Clock }) {
    this.#sqs = sqs;
    this.#queueUrl = config.queueUrl("socket-closures");
    this.#clock = clock;
  }

  /** The message may arrive too early, when the check lies further ahead than SQS can delay it: request it again. */
  async request(check: SocketCheck): Promise<void> {
    const seconds = Math.ceil((check.notBefore - this.#clock()) / 1000);
    await this.#sqs.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: JSON.stringify(check),
        DelaySeconds: Math.min(Math.max(seconds, 0), longestDelaySeconds),
      }),
    );
  }
}
