import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { stackConfig } from "./events.ts";

/** What an operator's consumer receives. */
export interface CellsMessage {
  readonly group: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  readonly payload: any[];
}

/** Receive what a stack has for the operator's queue for Cells: all stacks but the test's own have other readers. */
export async function receiveFromCells(
  { prefix }: { prefix: string },
  count: number,
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
      received.push({ group: Attributes?.MessageGroupId ?? "", ...JSON.parse(Body) });
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
  sqs.destroy();
  return received;
}
