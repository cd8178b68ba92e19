import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { Config } from "#shared/platform/config.ts";
import type { Webhook } from "./webhook.ts";

/** Message of the queues: a webhook with waiting events. It may get lost, because the collector sends it again. */
export const webhookNudge = z.object({ chain: z.string(), webhookId: z.uuid() });

export type WebhookQueue = "webhook-deliveries" | "slow-webhook-deliveries";

/** Lets a worker send to webhooks: one queue is for receivers that answer quickly, the other for all others. */
export class WebhookNudges {
  readonly #sqs = new SQSClient(awsClientOptions());
  readonly #config: Pick<Config, "queueUrl">;

  constructor({ config }: { config: Pick<Config, "queueUrl"> }) {
    this.#config = config;
  }

  async send({ chain, webhookId, isQuick = false }: Webhook): Promise<void> {
    const queue: WebhookQueue = isQuick ? "webhook-deliveries" : "slow-webhook-deliveries";
    await this.#sqs.send(
      new SendMessageCommand({
        QueueUrl: this.#config.queueUrl(queue),
        MessageBody: JSON.stringify({ chain, webhookId } satisfies z.input<typeof webhookNudge>),
      }),
    );
  }
}
