import { randomUUID } from "node:crypto";
import { ExecuteStatementCommand } from "@aws-sdk/client-dynamodb";
import { BatchExecuteStatementCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { Bucket } from "#shared/platform/files/bucket.ts";
import type { FunctionManifest } from "../function-modules.ts";
import { enforceGrants } from "./grants.ts";
import { runningFunction } from "./running-function.ts";

const nameOf = (resource: string) => `test-${resource}`;
const manifest = families.find(({ name }) => name === "properties") as FunctionManifest;

describe("a table that a function may only read", () => {
  enforceGrants();
  const dynamo = createDynamo();
  const table = new Table({ dynamo, config: { tableName: nameOf } }, "accounts");
  const key = { pk: "user#nobody", sk: "grants" };
  const inFunction = <Result>(action: () => Promise<Result>) =>
    runningFunction.run({ manifest, instance: "test", nameOf, tableName: nameOf }, action);
  const insert = `INSERT INTO "${nameOf("accounts")}" VALUE {'pk': 'user#nobody', 'sk': 'grants'}`;

  it("can be read, and used in a condition", async () => {
    const absent = table.requireWrite(key, { ConditionExpression: "attribute_not_exists(pk)" });
    const select = `SELECT * FROM "${nameOf("accounts")}" WHERE pk = 'user#nobody'`;
    expect(await inFunction(() => table.get(key))).toBeUndefined();
    await inFunction(() => transact(dynamo, [absent]));
    await inFunction(() => dynamo.send(new ExecuteStatementCommand({ Statement: select })));
  });

  it.each([
    ["an item", () => table.put(key)],
    ["a batch", () => table.deleteMany([key])],
    ["a transaction", () => transact(dynamo, [table.deleteWrite(key)])],
    ["a statement", () => dynamo.send(new ExecuteStatementCommand({ Statement: insert }))],
    [
      "statements",
      () => dynamo.send(new BatchExecuteStatementCommand({ Statements: [{ Statement: insert }] })),
    ],
  ])("refuses writes: %s", async (_, write) => {
    await expect(inFunction<unknown>(write)).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: expect.stringMatching(
        /^properties may only read the table accounts; .* "write" in functions\/people\/properties\/family\.ts:\d+$/,
      ),
    });
  });

  it("refuses writes when the manifest does not name it at all", async () => {
    const others = new Table({ dynamo, config: { tableName: nameOf } }, "search");
    await expect(inFunction(() => others.put({ list: "a", entry: "b" }))).rejects.toThrow(
      'properties may only read the table test-search; to write to it, it needs "write" in ' +
        "functions/people/properties/family.ts",
    );
  });

  it("accepts writes from functions that may write, and from code outside functions", async () => {
    const writer = families.find(({ name }) => name === "registration") as FunctionManifest;
    await runningFunction.run({ manifest: writer, instance: "test", nameOf, tableName: nameOf }, () =>
      table.put(key),
    );
    await table.delete(key);
  });
});

describe("the index of a table", () => {
  enforceGrants();
  const teams = new Table({ dynamo: createDynamo(), config: { tableName: nameOf } }, "teams");
  const query = () => teams.pageOfIndex("team#0", { Limit: 1 });

  it("can be queried by functions that list the table, and by no others that may write to it", async () => {
    const named = (name: string) => families.find((family) => family.name === name) as FunctionManifest;
    const as = (manifest: FunctionManifest) =>
      runningFunction.run({ manifest, instance: "test", nameOf, tableName: nameOf }, query);
    await as(named("teams"));
    await expect(as(named("registration"))).rejects.toMatchObject({
      name: "AccessDeniedException",
      message:
        'registration may not query the index of the table teams; it needs "lists" in ' +
        "functions/accounts/registration/family.ts",
    });
  });
});

describe("a table into which a function may only insert", () => {
  enforceGrants();
  const dynamo = createDynamo();
  const table = new Table({ dynamo, config: { tableName: nameOf } }, "notifications");
  const inserter = families.find(({ name }) => name === "clients") as FunctionManifest;
  const inFunction = <Result>(action: () => Promise<Result>) =>
    runningFunction.run({ manifest: inserter, instance: "test", nameOf, tableName: nameOf }, action);
  const key = { stream: `grants#${randomUUID()}`, position: "1" };

  it("can be read, and accepts new items", async () => {
    expect(await inFunction(() => table.insertMany([key]))).toEqual(["inserted"]);
    expect(await inFunction(() => table.get(key))).toEqual(key);
  });

  it.each([
    ["put", () => table.put(key)],
    ["updated", () => table.update(key, { UpdateExpression: "SET payload = position" })],
    ["deleted", () => table.delete(key)],
    ["deleted in a batch", () => table.deleteMany([key])],
    ["deleted in a transaction", () => transact(dynamo, [table.deleteWrite(key)])],
    [
      "deleted by a statement",
      () =>
        dynamo.send(
          new ExecuteStatementCommand({
            Statement: `DELETE FROM "${nameOf("notifications")}" WHERE stream = '${key.stream}' AND position = '1'`,
          }),
        ),
    ],
  ])("protects existing items: none is %s", async (_, write) => {
    await expect(inFunction<unknown>(write)).rejects.toThrow(
      /^clients may only read and insert into the table notifications; .* "write" in functions\/devices\/clients\/family\.ts:\d+$/,
    );
  });
});

describe("a bucket", () => {
  enforceGrants();
  const bucket = new Bucket({ config: { bucketName: nameOf } }, "assets");
  const eraser = [...families, ...workers].find(({ name }) => name === "erasure") as FunctionManifest;
  const denied = {
    name: "AccessDenied",
    message: expect.stringMatching(/^\w+ lacks the access to a bucket in functions/),
  };

  it("can be used only as a manifest allows", async () => {
    const put = () => bucket.put("v3/persistent/x", Buffer.from("x"));
    const remove = () => bucket.delete("v3/persistent/x");
    await expect(
      runningFunction.run({ manifest, instance: "test", nameOf, tableName: nameOf }, put),
    ).rejects.toMatchObject(denied);
    await expect(
      runningFunction.run({ manifest, instance: "test", nameOf, tableName: nameOf }, remove),
    ).rejects.toMatchObject(denied);
    await expect(
      runningFunction.run({ manifest: eraser, instance: "test", nameOf, tableName: nameOf }, put),
    ).rejects.toMatchObject(denied);
    const others = (resource: string) => `other-${resource}`;
    await expect(
      runningFunction.run({ manifest: eraser, instance: "test", nameOf: others, tableName: others }, remove),
    ).rejects.toMatchObject(denied);
  });
});
