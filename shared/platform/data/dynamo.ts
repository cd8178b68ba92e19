import {
  DynamoDBClient,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { awsClientOptions } from "../aws-client-options.ts";

/**
 * Creates a document client with the house rules: undefined fields are not stored, and a write that conflicts with a
 * transaction on its item is retried, as is a transaction that is still under way when it is repeated after a timeout.
 * Call it once per container.
 */
export function createDynamo(options?: Parameters<typeof awsClientOptions>[0]): DynamoDBDocumentClient {
  const dynamo = new DynamoDBClient(awsClientOptions(options));
  // The SDK treats these errors as final. In the step `finalizeRequest`, a low priority runs inside the retries.
  dynamo.middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (error) {
        if (isTemporary(error)) Object.assign(error, { $retryable: {} });
        throw error;
      }
    },
    { step: "finalizeRequest", priority: "low", name: "retryTransactions" },
  );
  return DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
}

const isTemporary = (error: unknown): error is Error =>
  error instanceof TransactionConflictException || error instanceof TransactionInProgressException;
