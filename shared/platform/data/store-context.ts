import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { createDynamo } from "./dynamo.ts";

/** Dependencies of a table. */
export interface TableContext {
  readonly dynamo: DynamoDBDocumentClient;
  readonly config: Pick<Config, "tableName">;
}

/** Dependencies of every store. */
export interface StoreContext extends TableContext {
  readonly config: Pick<Config, "tableName" | "settings">;
  readonly clock: Clock;
}

/** Creates the context that all stores of a function share. */
export const storeContext = ({ config, clock }: Omit<StoreContext, "dynamo">): StoreContext => ({
  dynamo: createDynamo(),
  config,
  clock,
});
