import { describe, expect, it } from "vitest";
import { buckets } from "#shared/registry/buckets.ts";
import { queues } from "#shared/registry/queues.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { internalOperations } from "../api-documents.ts";
import { commands } from "../commands.ts";
import { operationsOf } from "./policy.ts";
import { taskPolicyOf } from "./task-policy.ts";
import { type TaskName, taskNames } from "./tasks.ts";

const stack = (name: string) =>
  `arn:aws:cloudformation:eu-central-1:123456789012:stack/parley-production-${name}/0af3`;
/** As long as the names that CloudFormation generates. */
const nameOf = (name: string, kind: string) =>
  `parley-production-${kind}-${name.replaceAll("-", "")}${"x".repeat(24)}`;
const named = <Name extends string>(things: Readonly<Record<Name, unknown>>) =>
  new Map((Object.keys(things) as Name[]).map((name) => [name, nameOf(name, "data")]));

const data = {
  dataStackArn: stack("data"),
  messagingStackArn: stack("messaging"),
  tables: named(tables),
  buckets: named(buckets),
  queues: Object.keys(queues).map((name) => ({
    name: nameOf(name, "messaging"),
    deadLetters: nameOf(`${name}DeadLetters`, "messaging"),
  })),
  api: { stackArn: stack("api"), apiId: "a1b2c3d4e5" },
};
const operations = internalOperations();
const policyOf = (name: TaskName) => taskPolicyOf(name, data, operations);

describe.each(taskNames)("the policy for the commands %s", (name) => {
  const policy = policyOf(name);

  it("names commands that exist", () => {
    expect(commands.map((command) => command.name.split(" ")[0])).toContain(name);
  });

  it("names resources one by one, and fits into a managed policy of 6,144 characters", () => {
    const { length } = JSON.stringify(policy);
    expect(length).toBeLessThanOrEqual(6144);
    const resources = policy.Statement.flatMap(({ Resource }) => Resource);
    expect(resources.filter((arn) => /undefined|^\*$/.test(arn))).toEqual([]);
    const broad = resources.filter(
      (arn) =>
        arn.includes("*") &&
        !/stack\/[\w-]+\/\*$|(assets|audit)\w*\/\*$|:a1b2c3d4e5\/\$default\/GET\//.test(arn),
    );
    expect(broad).toEqual([]);
  });
});

it("all may add to the audit trail, and only importing, repeating and pausing may write to further tables", () => {
  const writes = taskNames.map((name) => {
    const statements = policyOf(name).Statement.filter(({ Action }) =>
      [Action].flat().some((action) => /dynamodb:.*(Put|Update|Delete|Write)/.test(action)),
    );
    const written = statements.flatMap(({ Resource }) => Resource);
    const tablesWritten = (Object.keys(tables) as TableName[]).filter((table) =>
      written.some((arn) => arn.endsWith(`/${data.tables.get(table)}`)),
    );
    return [name, tablesWritten];
  });
  expect(Object.fromEntries(writes)).toEqual({
    assets: ["audit"],
    export: ["audit"],
    import: ["accounts", "outbox", "teams", "audit"],
    outbox: ["outbox", "audit"],
    switches: ["switches", "audit"],
    "dead-letters": ["audit"],
  });
});

it("only exporting calls the internal API, for a person's records and a signature, both open to auditors", () => {
  const called = taskNames.map((name) => {
    const resources = policyOf(name).Statement.flatMap(({ Resource }) => Resource);
    return [name, resources.filter((arn) => arn.includes(":execute-api:"))] as const;
  });
  const prefix = "arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/$default/";
  expect(Object.fromEntries(called)).toEqual({
    ...Object.fromEntries(taskNames.map((name) => [name, []])),
    export: [`${prefix}GET/i/audit`, `${prefix}GET/i/statements/*/*`],
  });
  const ofAuditors = operationsOf("auditor", operations).map(({ operationId }) => operationId);
  expect(ofAuditors).toEqual(expect.arrayContaining(["i-list-audit-records", "i-sign-statement"]));
});
