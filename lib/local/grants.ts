import { readFileSync } from "node:fs";
import { isAuditDue } from "#shared/platform/audit/audited.ts";
import type { Access, BucketAccess } from "#shared/platform/manifest.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { type FunctionManifest, manifestFileOf } from "../function-modules.ts";
import { type AwsCall, awsAnswer, interceptAwsCalls, xmlAnswer } from "./aws-calls.ts";
import { type RunningFunction, runningFunction } from "./running-function.ts";

let isEnforced = false;

/**
 * Deny functions of this thread every access that their manifests do not grant, since the emulators have no IAM, and
 * every change that lacks its record in the audit trail. For tables, only writes and queries of indexes need checking,
 * since a function does not know the name of a table without a grant.
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
    if (call.service !== "dynamodb") return send();
    const message = refusalOf(call, running);
    if (message !== undefined) return awsAnswer(400, { __type: "AccessDeniedException", message });
    noteChanges(call, running);
    return send();
  });
}

/** Tables whose items are not changes by themselves: preparations, consequences and counters. */
const unrecordedTables: readonly TableName[] = [
  "codes",
  "notifications",
  "outbox",
  "rate-limits",
  "search",
  "sockets",
];

/** Sort keys of counters in other tables. */
const counters = /"sk":\{"S":"password-checks/;

/** A record without a target. */
const emptyTarget = /"target":\{"M":\{\}\}/;
/** The same of a refused attempt, unless nobody is known whom it concerns. */
const emptyRefusal = /^(?!.*"kind":\{"S":"anybody"\}).*":f\d+":\{"M":\{\}\}/s;

/** Notes the tables that an audited request changes, and whether it writes a record. */
function noteChanges(call: AwsCall, running: RunningFunction): void {
  if (call.body.includes(running.tableName("audit"))) {
    running.hasEmptyTarget ||= emptyTarget.test(call.body);
    running.hasEmptyRefusal ||= emptyRefusal.test(call.body);
  }
  if (!isAuditDue() || counters.test(call.body)) return;
  const exempt = new Set(unrecordedTables.map(running.tableName));
  for (const { table } of writesOf(call)) {
    if (table === running.tableName("audit")) running.isRecorded = true;
    else if (!exempt.has(table)) running.changedTable ??= table;
  }
}

const accessOf: Readonly<Record<string, BucketAccess>> = {
  GET: "read",
  HEAD: "read",
  PUT: "write",
  // Parameters of calls for an object that is written in parts.
  POST: "write",
  DELETE: "delete",
};

/** Whether the manifest grants a call of S3; signing an address makes no call. */
function mayCallBucket({ action, path }: AwsCall, { manifest, nameOf }: RunningFunction): boolean {
  const { buckets = {} }: Access = manifest;
  const [, bucket, objectName] = path.split("/");
  const access = objectName ? accessOf[action] : "list";
  return Object.entries(buckets).some(
    ([name, granted]) => access !== undefined && bucket === nameOf(name) && granted.includes(access),
  );
}

/** The reason why a call of DynamoDB is refused; undefined for one that is granted. */
function refusalOf(call: AwsCall, running: RunningFunction): string | undefined {
  const listed = refusedList(call, running);
  if (listed !== undefined) return describeRefusedList(running.manifest, listed);
  const written = refusedTable(call, running);
  return written === undefined ? undefined : describeRefusal(running.manifest, written);
}

/** The table whose index a call queries although the function may not. */
function refusedList(
  { action, body }: AwsCall,
  { manifest, tableName }: RunningFunction,
): string | undefined {
  if (action !== "Query" || !body.includes('"IndexName"')) return undefined;
  const { TableName, IndexName } = JSON.parse(body);
  const { tables = {}, lists = [] }: Access = manifest;
  if (IndexName === undefined || lists.some((name) => tableName(name) === TableName)) return undefined;
  return (Object.keys(tables) as TableName[]).find((name) => tableName(name) === TableName) ?? TableName;
}

const describeRefusedList = (manifest: FunctionManifest, table: string) =>
  `${manifest.name} may not query the index of the table ${table}; it needs "lists" in ${manifestFileOf(manifest)}`;

/** The first table that a call writes to although the function may not; undefined when there is none. */
function refusedTable(call: AwsCall, { manifest, tableName }: RunningFunction): string | undefined {
  const { tables = {} }: Access = manifest;
  const logicalNames = new Map((Object.keys(tables) as TableName[]).map((name) => [tableName(name), name]));
  for (const { table, kind } of writesOf(call)) {
    const name = logicalNames.get(table);
    const access = name && tables[name];
    const isCounting = access === "count" && call.action === "UpdateItem";
    const isGranted = access === "write" || isCounting || (kind !== undefined && access === kind);
    if (!isGranted) return name ?? table;
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
  /** The least access that the write needs; absent: `write`. */
  readonly kind?: "insert" | "record" | undefined;
}

function writesOf({ action, body }: AwsCall): TableWrite[] {
  switch (action) {
    case "PutItem":
    case "UpdateItem":
      return [{ table: JSON.parse(body).TableName, kind: "record" }];
    case "DeleteItem":
      return [{ table: JSON.parse(body).TableName }];
    case "BatchWriteItem":
      return Object.keys(JSON.parse(body).RequestItems).map((table) => ({ table }));
    case "TransactWriteItems":
      return (JSON.parse(body).TransactItems as Record<string, { TableName: string }>[])
        .flatMap((item) => Object.entries(item))
        .filter(([kind]) => kind !== "ConditionCheck")
        .map(([kind, { TableName }]) => ({
          table: TableName,
          kind: kind === "Delete" ? undefined : "record",
        }));
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

/** The writes of PartiQL statements. */
const writtenBy = (statements: readonly { readonly Statement: string }[]): TableWrite[] =>
  statements.flatMap(({ Statement }) => {
    const [, verb = "", table] =
      /^\s*(insert\s+into|update|delete\s+from)\s+"?([\w.-]+)/i.exec(Statement) ?? [];
    return table === undefined ? [] : [{ table, kind: /^insert/i.test(verb) ? "insert" : undefined }];
  });
