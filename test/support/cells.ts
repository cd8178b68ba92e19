import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { stackConfig } from "./stack-config.ts";

/** What an operator's consumer receives. */
export interface CellsMessage {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  readonly payload: any[];
}

/**
 * Receive what a stack has of a conversation or team in the operator's queue for Cells, and drop the rest. The stack is one
 * of the test's own, or it would take what others wait for.
 */
export async function receiveFromCells(
  { prefix }: { prefix: string },
  { group, count }: { group: string; count: number },
): Promise<CellsMessage[]> {
  const sqs = new SQSClient();
  const QueueUrl = stackConfig(prefix).queueUrl("cells-events");
  const received: CellsMessage[] = [];
  const endsAt = Date.now() + 60_000;
  while (received.length < count && Date.now() < endsAt) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ["MessageGroupId"],
      }),
    );
    for (const { Body = "", Attributes, ReceiptHandle } of Messages) {
      if (Attributes?.MessageGroupId === group) received.push(JSON.parse(Body));
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
  sqs.destroy();
  return received;
}
