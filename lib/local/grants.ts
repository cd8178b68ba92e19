import { readFileSync } from "node:fs";
import type { Access } from "#shared/platform/manifest.ts";
import type { BucketAccess } from "#shared/registry/buckets.ts";
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
