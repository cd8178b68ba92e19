import { readFileSync } from "node:fs";
import type { Family, TableAccess, Worker } from "#shared/platform/manifest.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";

/** Write the tables of families, workers and DynamoDB tables as Markdown, for a page in `docs/`. */
export function manifestTables(families: readonly Family[], workers: readonly Worker[]): string {
  return [
    "### Families",
    families.map((family) => `- ${linkTo(family)}: ${family.summary}`).join("\n"),
    "### Workers",
    workers
      .map((worker) => `- ${linkTo(worker)} (${describeTrigger(worker.trigger)}): ${worker.summary}`)
      .join("\n"),
    "### Tables",
    markdownTable(
      ["table", "holds", "keys; index", "TTL", "written by"],
      Object.entries<TableSpec>(tables).map(([name, spec]) => [
        `\`${name}\``,
        describeContent(name as TableName),
        describeKeys(spec),
        spec.timeToLive === undefined ? "" : `\`${spec.timeToLive}\``,
        describeWriters(name as TableName, [...families, ...workers]),
      ]),
    ),
  ].join("\n\n");
}

const linkTo = ({ domain, name }: Family | Worker) => `[\`${name}\`](../functions/${domain}/${name})`;

function describeTrigger(trigger: Worker["trigger"]): string {
  if ("queue" in trigger) return `\`${trigger.queue}\``;
  if ("everySeconds" in trigger) return `every ${trigger.everySeconds} s`;
  if ("rotationOf" in trigger) return `every ${trigger.everyDays} days`;
  return "socketLog" in trigger ? "socket log" : "sockets";
}

const registry = readFileSync("shared/registry/tables.ts", "utf8");

/** The comment of a table in the registry. */
function describeContent(table: TableName): string {
  const comment = new RegExp(String.raw`/\*\* (.+)\. \*/\n {2}"?${table}"?: \{`).exec(registry)?.[1];
  if (comment === undefined) throw new Error(`The table ${table} has no comment of one line`);
  return comment;
}

function describeKeys({ partitionKey, sortKey, index }: TableSpec): string {
  const keys = [partitionKey, ...(sortKey === undefined ? [] : [sortKey])].map((key) => `\`${key}\``);
  return index === undefined ? keys.join(", ") : `${keys.join(", ")}; \`${index.name}\``;
}

const writing: readonly (TableAccess | undefined)[] = ["write", "insert", "record", "count"];

/**
 * Number of writers that a reader takes in at a glance. If there are more, only their domains are named; the manifests
 * have the rest.
 */
const mostNames = 8;

function describeWriters(table: TableName, functions: readonly (Family | Worker)[]): string {
  const writers = functions.filter(({ tables = {} }) => writing.includes(tables[table]));
  if (writers.length === 0) return "operators";
  if (writers.length <= mostNames) return writers.map(({ name }) => name).join(", ");
  const domains = [...new Set(writers.map(({ domain }) => domain))];
  return domains.length > mostNames ? "most functions" : `functions of ${domains.join(", ")}`;
}

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
