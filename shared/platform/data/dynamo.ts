import { DynamoDBClient, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The SDK's own default. */
const defaultSockets = 50;

/**
 * Creates a document client with the house rules: undefined fields are not stored, and a write that conflicts with a
 * transaction on its item is retried. Call it once per container.
 *
 * @param options.maxSockets most requests that can be under way concurrently
 */
export function createDynamo({ maxSockets = defaultSockets } = {}): DynamoDBDocumentClient {
  const requestHandler = { httpAgent: { maxSockets }, httpsAgent: { maxSockets } };
  const dynamo = new DynamoDBClient({ requestHandler });
  // The SDK treats this error as final. In the step `finalizeRequest`, a low priority runs inside the retries.
  dynamo.middlewareStack.add(
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
  return DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
}
