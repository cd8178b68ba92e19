import { type DynamoDBClientConfig, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { currentScope } from "../scope.ts";
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

const reads = /^(Get|BatchGet|Query|Scan|TransactGet)/;

/** Makes a client ask for the units of calls that are measured. DynamoDB does not tell those of refused conditions. */
function measureUnits(dynamo: DynamoDBDocumentClient): void {
  dynamo.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (request) => {
        const { meter } = currentScope();
        if (meter === undefined) return next(request);
        const result = await next({
          ...request,
          input: { ...request.input, ReturnConsumedCapacity: "TOTAL" } as typeof request.input,
        });
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: Capacity | Capacity[] };
        const units = [ConsumedCapacity ?? []]
          .flat()
          .reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
        meter[reads.test(commandName) ? "readUnits" : "writeUnits"] += units;
        return result;
      },
    { step: "initialize", name: "measureUnits" },
  );
}

interface Capacity {
  readonly CapacityUnits?: number;
}
