import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { transact, type Write } from "../data/conditions.ts";
import type { StagedMessage } from "./outbox.ts";

/** Commit a change together with the messages that it causes, which are sent afterwards. @throws as `transact` */
export async function commitWithMessages(
  client: DynamoDBDocumentClient,
  writes: readonly Write[],
  messages: readonly StagedMessage[],
): Promise<void> {
  await transact(client, [...writes, ...messages.map(({ write }) => write)]);
  await Promise.all(messages.map((message) => message.send()));
}
