import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { withEffects } from "./effects.ts";
import { stackConfig } from "./stack-config.ts";

/** A message as the operator's consumer receives it. */
export interface CellsMessage {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  readonly payload: any[];
}

/**
 * Receive a stack's messages about one conversation or team from the operator's queue for Cells, and drop all others.
 * Only for a test's own stack, or it would take what other tests wait for.
 */
export const receiveFromCells = (
  stack: { prefix: string },
  wanted: { group: string; count: number },
): Promise<CellsMessage[]> => withEffects(() => receive(stack, wanted));

async function receive(
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
