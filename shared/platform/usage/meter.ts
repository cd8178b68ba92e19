import { AsyncLocalStorage } from "node:async_hooks";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Counts what some work consumes while it runs. */
export interface Meter {
  readUnits: number;
  writeUnits: number;
  /** Frames posted to sockets. */
  frames: number;
}

const meters = new AsyncLocalStorage<Meter>();

/** Run a task whose consumption is counted. */
export const withMeter = <Result>(meter: Meter, task: () => Result): Result => meters.run(meter, task);

/** Counts a frame posted to a socket, if the work is measured. */
export function countFrame(): void {
  const meter = meters.getStore();
  if (meter !== undefined) meter.frames++;
}

export const newMeter = (): Meter => ({ readUnits: 0, writeUnits: 0, frames: 0 });

const reads = /^(Get|BatchGet|Query|Scan|TransactGet)/;

/** Makes a client ask for the units of calls that are measured. DynamoDB does not tell those of refused conditions. */
export function measureUnits(dynamo: DynamoDBDocumentClient): void {
  dynamo.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (request) => {
        const meter = meters.getStore();
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
