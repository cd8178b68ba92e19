import { runningFunction } from "#lib/local/local-function.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { type AwsCall, injectFaults } from "./faults.ts";

/**
 * Deny functions of a stack in this thread what their manifests do not grant: the emulator has no IAM. Only writes need
 * checking, since a function does not know the name of a table without a grant.
 *
 * @returns a function that ends the enforcement
 */
export const enforceGrants = (prefix: string): (() => void) =>
  injectFaults((call) => {
    const running = runningFunction.getStore();
    if (running === undefined || call.service !== "dynamodb") return undefined;
    const mayWrite = (table: string) =>
      running.tables?.[table.slice(`${prefix}-`.length) as TableName] === "write";
    return tablesWritten(call).every(mayWrite) ? undefined : "denied";
  });

function tablesWritten({ action, body }: AwsCall): string[] {
  switch (action) {
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
      return [JSON.parse(body).TableName];
    case "BatchWriteItem":
      return Object.keys(JSON.parse(body).RequestItems);
    case "BatchExecuteStatement":
      return (JSON.parse(body).Statements as { Statement: string }[]).map(
        ({ Statement }) => /^INSERT INTO "([^"]+)"/.exec(Statement)?.[1] ?? Statement,
      );
    case "TransactWriteItems":
      return (JSON.parse(body).TransactItems as Record<string, { TableName: string }>[])
        .flatMap((item) => Object.entries(item))
        .filter(([kind]) => kind !== "ConditionCheck")
        .map(([, { TableName }]) => TableName);
    default:
      return [];
  }
}
