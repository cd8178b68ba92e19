import { DynamoDBClient, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** What the SDK has when it is told nothing. */
const usualSockets = 50;

/**
 * Document client with the house rules: undefined fields are not stored, and a write that meets a transaction on its
 * item is tried again. Made once per container.
 *
 * @param options.maxSockets requests that can be under way at once
 */
export function createDocumentClient({ maxSockets = usualSockets } = {}): DynamoDBDocumentClient {
  const requestHandler = { httpAgent: { maxSockets }, httpsAgent: { maxSockets } };
  const client = new DynamoDBClient({ requestHandler });
  // The SDK takes this error for final. Within `finalizeRequest`, a low priority is inside the retries.
  client.middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (error) {
        if (error instanceof TransactionConflictException) Object.assign(error, { $retryable: {} });
        throw error;
      }
    },
    { step: "finalizeRequest", priority: "low", name: "retryTransactionConflicts" },
  );
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
