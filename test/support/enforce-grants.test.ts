import { describe, expect, it, onTestFinished } from "vitest";
import { families } from "#functions/families.ts";
import type { FunctionManifest } from "#lib/function-modules.ts";
import { runningFunction } from "#lib/local/local-function.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { enforceGrants } from "./enforce-grants.ts";

const settings = parseSettings({ productName: "Granted" });

describe("a table that a function may only read", () => {
  const dynamo = createDynamo();
  const reader = families.find(({ name }) => name === "properties") as FunctionManifest;
  const table = new Table({ dynamo, config: { tableName: (name) => `test-${name}`, settings } }, "accounts");
  const key = { pk: "user#nobody", sk: "grants" };
  const asReader = <Result>(action: () => Promise<Result>) => runningFunction.run(reader, action);

  it("can be read, and named in a condition", async () => {
    onTestFinished(enforceGrants("test"));
    const absent = table.requireWrite(key, { ConditionExpression: "attribute_not_exists(pk)" });
    expect(await asReader(() => table.get(key))).toBeUndefined();
    await asReader(() => transact(dynamo, [absent]));
  });

  it.each([
    ["an item", () => table.put(key)],
    ["a batch", () => table.deleteMany([key])],
    ["statements", async () => void (await table.insertMany([key]))],
    ["a transaction", () => transact(dynamo, [table.deleteWrite(key)])],
  ])("is not written to: %s", async (_, write) => {
    onTestFinished(enforceGrants("test"));
    await expect(asReader(write)).rejects.toMatchObject({ name: "AccessDeniedException" });
  });
});
