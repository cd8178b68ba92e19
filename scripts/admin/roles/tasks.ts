import type { BucketName } from "#shared/registry/buckets.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";

/** What those need who reach data of a stage by some commands themselves, without the internal API. */
export interface Task {
  /** Actions of DynamoDB by table. */
  readonly tables?: Readonly<Partial<Record<TableName, readonly string[]>>>;
  /** Buckets whose objects are read. */
  readonly buckets?: readonly BucketName[];
  /** Whether messages of all dead-letter queues are read, moved and dropped. */
  readonly movesMessages?: true;
}

const creating = ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "ConditionCheckItem"];

/** By the first word of the commands. */
export const tasks = {
  export: {
    tables: Object.fromEntries(Object.keys(tables).map((name) => [name, ["Query", "Scan"]])),
    buckets: ["assets"],
  },
  import: { tables: { accounts: creating, teams: creating, outbox: creating } },
  outbox: { tables: { outbox: ["GetItem", "Query", "PutItem", "DeleteItem", "BatchWriteItem"] } },
  switches: { tables: { switches: ["BatchGetItem", "PutItem", "DeleteItem"] } },
  "dead-letters": { movesMessages: true },
} as const satisfies Readonly<Record<string, Task>>;

export type TaskName = keyof typeof tasks;
export const taskNames = Object.keys(tasks) as TaskName[];
