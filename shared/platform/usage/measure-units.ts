import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { currentScope } from "../scope.ts";

const reads = /^(Get|BatchGet|Query|Scan|TransactGet)/;

/** Makes a client ask for the units of calls that are measured. DynamoDB does not tell those of refused conditions. */
export function measureUnits(dynamo: DynamoDBDocumentClient): void {
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
