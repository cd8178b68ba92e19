import { readFileSync } from "node:fs";
import type { Access } from "#shared/platform/manifest.ts";
import { type FunctionManifest, manifestFileOf } from "../function-modules.ts";
import { type AwsCall, awsAnswer, interceptAwsCalls } from "./aws-calls.ts";
import { type RunningFunction, runningFunction } from "./running-function.ts";

let isEnforced = false;

/**
 * Deny functions of this thread what their manifests do not grant: the emulator has no IAM. Only writes need checking,
 * since a function does not know the name of a table without a grant.
 */
export function enforceGrants(): void {
  if (isEnforced) return;
  isEnforced = true;
  interceptAwsCalls(async (call, send) => {
    const running = runningFunction.getStore();
    const refused = running && call.service === "dynamodb" ? refusedTable(call, running) : undefined;
    if (running === undefined || refused === undefined) return send();
    return awsAnswer(400, {
      __type: "AccessDeniedException",
      message: describeRefusal(running.manifest, refused),
    });
  });
}

/** The first table that a call writes to although the function may only read it; undefined when there is none. */
function refusedTable(call: AwsCall, { manifest, nameOf }: RunningFunction): string | undefined {
  const { tables = {} }: Access = manifest;
  const logicalNames = new Map(
    Object.keys(tables).map((name) => [nameOf(name), name as keyof typeof tables]),
  );
  for (const table of tablesWritten(call)) {
    const name = logicalNames.get(table);
    if (name === undefined || tables[name] !== "write") return name ?? table;
  }
  return undefined;
}

function describeRefusal(manifest: FunctionManifest, table: string): string {
  const file = manifestFileOf(manifest);
  const grant = new RegExp(`\\b${table}\\b"?: "read"`);
  const lines = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").split("\n");
  const line = lines.findIndex((text) => grant.test(text)) + 1;
  const place = line === 0 ? file : `${file}:${line}`;
  return `${manifest.name} may only read the table ${table}; to write to it, it needs "write" in ${place}`;
}

function tablesWritten({ action, body }: AwsCall): string[] {
  switch (action) {
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
      return [JSON.parse(body).TableName];
    case "BatchWriteItem":
      return Object.keys(JSON.parse(body).RequestItems);
    case "TransactWriteItems":
      return (JSON.parse(body).TransactItems as Record<string, { TableName: string }>[])
        .flatMap((item) => Object.entries(item))
        .filter(([kind]) => kind !== "ConditionCheck")
        .map(([, { TableName }]) => TableName);
    case "ExecuteStatement":
      return writtenBy([JSON.parse(body)]);
    case "BatchExecuteStatement":
      return writtenBy(JSON.parse(body).Statements);
    case "ExecuteTransaction":
      return writtenBy(JSON.parse(body).TransactStatements);
    default:
      return [];
  }
}

/** Tables that PartiQL statements write to. */
const writtenBy = (statements: readonly { readonly Statement: string }[]): string[] =>
  statements.flatMap(({ Statement }) => {
    const table = /^\s*(?:insert\s+into|update|delete\s+from)\s+"?([\w.-]+)/i.exec(Statement)?.[1];
    return table === undefined ? [] : [table];
  });
