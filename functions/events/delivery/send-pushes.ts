import { createHash } from "node:crypto";
import { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import type { NativePush } from "#shared/events/push/native-push.ts";
import { chunks } from "#shared/platform/chunks.ts";
import type { Deps } from "./deps.ts";

/** SQS takes ten messages in one call. */
const maxMessages = 10;

/**
 * Send pushes to their queue, each once, even if its delivery is repeated within five minutes. Events never wait for
 * pushes: if the queue refuses a push, it is dropped, and the next event wakes the device.
 */
export async function sendPushes({ config, log, sqs }: Deps, pushes: readonly NativePush[]): Promise<void> {
  await Promise.all(
    chunks(pushes, maxMessages).map(async (chunk) => {
      try {
        const { Failed = [] } = await sqs.send(
          new SendMessageBatchCommand({
            QueueUrl: config.queueUrl("native-pushes"),
            Entries: chunk.map((push, index) => ({
              Id: String(index),
              MessageBody: JSON.stringify(push),
              MessageGroupId: hash(push.endpointArn),
              MessageDeduplicationId: hash(`${push.notificationId} ${push.endpointArn}`),
            })),
          }),
        );
        if (Failed.length > 0) log.warn("pushes-not-sent", { count: Failed.length, code: Failed[0]?.Code });
      } catch (error) {
        log.warn("pushes-not-sent", { count: chunk.length, error: error as Error });
      }
    }),
  );
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
