import { type DynamoDBClientConfig, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { measureUnits } from "../usage/measure-units.ts";
import { createDocumentClient } from "./document-client.ts";

/**
 * Creates a document client with the house rules: undefined fields are not stored, and a write that conflicts with a
 * transaction on its item is retried; and units of measured work are counted. Call it once per container.
 * @param options replace the usual ones: a command that runs for minutes may be more patient
 */
export function createDynamo(options?: DynamoDBClientConfig): DynamoDBDocumentClient {
  const dynamo = createDocumentClient(options);
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
  measureUnits(dynamo);
  return dynamo;
}
