import { type DynamoDBDocumentClient, PutCommand, type PutCommandInput } from "@aws-sdk/lib-dynamodb";
import { createDocumentClient } from "./document-client.ts";

/** Clients that do not repeat requests, by the clients that do; both share connections and credentials. */
const singleAttempts = new WeakMap<DynamoDBDocumentClient, DynamoDBDocumentClient>();

/**
 * Put an item that others may delete as soon as it exists. If the answer is lost, repeating the request could bring a
 * deleted item back, so the repetition puts an item that is marked.
 */
export async function putAlone(
  dynamo: DynamoDBDocumentClient,
  put: PutCommandInput,
  repeatedPut: PutCommandInput,
): Promise<void> {
  try {
    await singleAttemptOf(dynamo).send(new PutCommand(put));
  } catch {
    await dynamo.send(new PutCommand(repeatedPut));
  }
}

function singleAttemptOf(dynamo: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const known = singleAttempts.get(dynamo);
  if (known !== undefined) return known;
  const { requestHandler, credentials, region } = dynamo.config;
  const created = createDocumentClient({ requestHandler, credentials, region, maxAttempts: 1 });
  singleAttempts.set(dynamo, created);
  return created;
}
