import { ChangeMessageVisibilityCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import type { QueueName } from "#shared/registry/queues.ts";
import { awsClientOptions } from "../aws-client-options.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";

/** Says when SQS is to deliver a message again that its worker neither finishes nor gives back. */
export class MessageVisibility {
  readonly #sqs = new SQSClient(awsClientOptions());
  readonly #queueUrl: string;
  readonly #log: Log;

  constructor(queue: QueueName, { config, log }: { config: Pick<Config, "queueUrl">; log: Log }) {
    this.#queueUrl = config.queueUrl(queue);
    this.#log = log;
  }

  /** Never fails: otherwise the message comes again after the time that its queue prescribes. */
  async set({ messageId, receiptHandle }: SQSRecord, seconds: number): Promise<void> {
    try {
      await this.#sqs.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: this.#queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    } catch (error) {
      this.#log.warn("visibility-not-set", { sqsMessageId: messageId, error: error as Error });
    }
  }
}
