import type { BucketName } from "#shared/registry/buckets.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";

/** The permissions for commands that reach data of a stage directly, without the internal API. */
export interface Task {
  /** Actions of DynamoDB by table. */
  readonly tables?: Readonly<Partial<Record<TableName, readonly string[]>>>;
  /** Buckets whose objects are read. */
  readonly buckets?: readonly BucketName[];
  /** Operations of the internal API that a command also calls. */
  readonly calls?: readonly string[];
  /** Whether messages of all dead-letter queues are read, moved and dropped. */
  readonly movesMessages?: true;
}

/** Permissions that each of them needs for the audit trail. */
const recording = { audit: ["PutItem"] };

const creating = ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "ConditionCheckItem"];

/** Tasks by the first word of their commands. */
export const tasks = {
  assets: { tables: { ...recording, assets: ["Scan"] } },
  export: {
    tables: {
      ...Object.fromEntries(Object.keys(tables).map((name) => [name, ["Query", "Scan"]])),
      audit: ["Query", "Scan", "PutItem"],
    },
    buckets: ["assets", "audit"],
    // A person's records are part of an archive, and a certificate is signed.
    calls: ["i-list-audit-records", "i-sign-statement"],
  },
  import: { tables: { ...recording, accounts: creating, teams: creating, outbox: creating } },
  outbox: {
    tables: { ...recording, outbox: ["GetItem", "Query", "PutItem", "DeleteItem", "BatchWriteItem"] },
  },
  switches: { tables: { ...recording, switches: ["BatchGetItem", "PutItem", "DeleteItem"] } },
  "dead-letters": { tables: recording, movesMessages: true },
} as const satisfies Readonly<Record<string, Task>>;

export type TaskName = keyof typeof tasks;
export const taskNames = Object.keys(tasks) as TaskName[];
