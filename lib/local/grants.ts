import { readFileSync } from "node:fs";
import type { Access, BucketAccess } from "#shared/platform/manifest.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { type FunctionManifest, manifestFileOf } from "../function-modules.ts";
import { type AwsCall, awsAnswer, interceptAwsCalls, xmlAnswer } from "./aws-calls.ts";
import { type RunningFunction, runningFunction } from "./running-function.ts";

let isEnforced = false;

/**
 * Deny functions of this thread what their manifests do not grant: the emulators have no IAM. Of tables, only writes need
 * checking, since a function does not know the name of a table without a grant.
 */
export function enforceGrants(): void {
  if (isEnforced) return;
  isEnforced = true;
  interceptAwsCalls(async (call, send) => {
    const running = runningFunction.getStore();
    if (running === undefined) return send();
    if (call.service === "s3" && !mayCallBucket(call, running)) {
      const { manifest } = running;
      const message = `${manifest.name} lacks the access to a bucket in ${manifestFileOf(manifest)} for ${call.action} ${call.path}`;
      return xmlAnswer(403, `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`);
    }
    const refused = call.service === "dynamodb" ? refusedTable(call, running) : undefined;
    if (refused === undefined) return send();
    return awsAnswer(400, {
      __type: "AccessDeniedException",
      message: describeRefusal(running.manifest, refused),
    });
  });
}

const accessOf: Readonly<Record<string, BucketAccess>> = {
  GET: "read",
  HEAD: "read",
  PUT: "write",
  DELETE: "delete",
};

/** Whether the manifest grants a call of S3; signing an address makes no call. */
function mayCallBucket({ action, path }: AwsCall, { manifest, nameOf }: RunningFunction): boolean {
  const { buckets = {} }: Access = manifest;
  const access = accessOf[action];
  const [, bucket] = path.split("/");
  return Object.entries(buckets).some(
    ([name, granted]) => access !== undefined && bucket === nameOf(name) && granted.includes(access),
  );
}

/** The first table that a call writes to although the function may not; undefined when there is none. */
function refusedTable(call: AwsCall, { manifest, tableName }: RunningFunction): string | undefined {
  const { tables = {} }: Access = manifest;
  const logicalNames = new Map((Object.keys(tables) as TableName[]).map((name) => [tableName(name), name]));
  for (const { table, isInsert = false } of writesOf(call)) {
    const name = logicalNames.get(table);
    const access = name && tables[name];
    const isCounting = access === "count" && call.action === "UpdateItem";
    if (access !== "write" && !isCounting && !(isInsert && access === "insert")) return name ?? table;
  }
  return undefined;
}

function describeRefusal(manifest: FunctionManifest, table: string): string {
  const file = manifestFileOf(manifest);
  const grant = new RegExp(`\\b${table}\\b"?: "(read|insert)"`);
  const lines = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").split("\n");
  const line = lines.findIndex((text) => grant.test(text)) + 1;
  const place = line === 0 ? file : `${file}:${line}`;
  const allowed = lines[line - 1]?.includes('"insert"') ? "read and insert into" : "read";
  return `${manifest.name} may only ${allowed} the table ${table}; to write to it, it needs "write" in ${place}`;
}

/** A write to a table. */
interface TableWrite {
  readonly table: string;
  /** Whether it only adds an item. */
  readonly isInsert?: boolean;
}

function writesOf({ action, body }: AwsCall): TableWrite[] {
  switch (action) {
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
      return [{ table: JSON.parse(body).TableName }];
    case "BatchWriteItem":
      return Object.keys(JSON.parse(body).RequestItems).map((table) => ({ table }));
    case "TransactWriteItems":
      return (JSON.parse(body).TransactItems as Record<string, { TableName: string }>[])
        .flatMap((item) => Object.entries(item))
        .filter(([kind]) => kind !== "ConditionCheck")
        .map(([, { TableName }]) => ({ table: TableName }));
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

/** What PartiQL statements write. */
const writtenBy = (statements: readonly { readonly Statement: string }[]): TableWrite[] =>
  statements.flatMap(({ Statement }) => {
    const [, verb = "", table] =
      /^\s*(insert\s+into|update|delete\s+from)\s+"?([\w.-]+)/i.exec(Statement) ?? [];
    return table === undefined ? [] : [{ table, isInsert: /^insert/i.test(verb) }];
  });
