import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import * as z from "zod";
import { parseSettings } from "#shared/registry/settings.ts";
import { StaleReadError, transact } from "./conditions.ts";
import { createDynamo } from "./dynamo.ts";
import { StoredItem, storedObject } from "./stored-item.ts";
import { Table } from "./table.ts";

/** A partition with items of 300 KB, three to a page, and the limits of the queries that were sent. */
async function newPartition(size: number) {
  const dynamo = createDynamo();
  const limits: unknown[] = [];
  dynamo.middlewareStack.add(
    (next, { commandName }) =>
      (request) => {
        if (commandName === "QueryCommand") limits.push((request.input as { Limit?: number }).Limit);
        return next(request);
      },
    { step: "initialize" },
  );
  const config = {
    tableName: (name: string) => `test-${name}`,
    settings: parseSettings({ productName: "T" }),
  };
  const table = new Table({ dynamo, config }, "properties");
  const owner = randomUUID();
  const entries = Array.from({ length: size }, (_, index) => String(index));
  await Promise.all(entries.map((entry) => table.put({ owner, entry, text: "x".repeat(300 * 1024) })));
  return { dynamo, table, owner, entries, limits };
}

const entriesIn = async (items: AsyncIterable<Record<string, unknown>>) => {
  const entries: unknown[] = [];
  for await (const { entry } of items) entries.push(entry);
  return entries;
};

it("a table reads all pages that a query has", async () => {
  const { table, owner, entries, limits } = await newPartition(5);
  expect(await entriesIn(table.query(owner))).toEqual(entries);
  expect(limits).toEqual([undefined, undefined]);
});

it("a table reads further pages only on demand", async () => {
  const { table, owner, limits } = await newPartition(5);
  for await (const _ of table.query(owner)) break;
  expect(limits).toHaveLength(1);
});

it("a table reads a first page of its own size", async () => {
  const { table, owner, entries, limits } = await newPartition(3);
  expect(await entriesIn(table.query(owner, { firstLimit: 1, Limit: 2 }))).toEqual(entries);
  expect(limits.slice(0, 2)).toEqual([1, 2]);
});

it("a table finds a range of the sort key", async () => {
  const { table, owner } = await newPartition(4);
  const range = { range: "entry > :after", ExpressionAttributeValues: { ":after": "1" } };
  expect(await entriesIn(table.query(owner, range))).toEqual(["2", "3"]);
});

it("a table hands an item to only one of several callers", async () => {
  const { table, owner } = await newPartition(1);
  const taken = await Promise.all([1, 2, 3].map(() => table.take({ owner, entry: "0" })));
  expect(taken.filter((item) => item !== undefined)).toHaveLength(1);
});

it("a table writes only at the revision that was read, together with any other condition", async () => {
  const { dynamo, table, owner } = await newPartition(0);
  const item = (revision: number) => ({ owner, entry: "0", revision });
  const key = { owner, entry: "0" };
  const hasEntry = { ConditionExpression: "entry = :none OR entry = :zero" };
  const values = { ExpressionAttributeValues: { ":none": "none", ":zero": "0" } };
  await transact(dynamo, [table.putWrite(item(1), { atRevision: 0 })]);
  await transact(dynamo, [table.putWrite(item(2), { atRevision: 1, ...hasEntry, ...values })]);
  const stale = [
    table.putWrite(item(9), { atRevision: 0 }),
    table.deleteWrite(key, { atRevision: 1, ...hasEntry, ...values }),
    table.requireWrite(key, { atRevision: 3 }),
    table.deleteWrite(key, { ConditionExpression: "attribute_not_exists(entry)" }),
  ];
  for (const write of stale) await expect(transact(dynamo, [write])).rejects.toThrow(StaleReadError);
  expect(await table.get(key)).toEqual(item(2));
});

it("a table replaces an item once at the revision that was read", async () => {
  const { table, owner } = await newPartition(0);
  const replace = (revision: number) =>
    table.replaceOnce({ owner, entry: "0", revision: revision + 1 }, revision);
  await replace(0);
  const outcomes = await Promise.allSettled([replace(1), replace(1)]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  await expect(replace(0)).rejects.toThrow(StaleReadError);
});

it("a table writes the fields that a version knows, removes those that are undefined, and leaves others alone", async () => {
  const { dynamo, table, owner } = await newPartition(0);
  const key = { owner, entry: "0" };
  const write = (fields: Record<string, unknown>) => transact(dynamo, [table.setFieldsWrite(key, fields)]);
  await write({ name: "Ada", status: "active" });
  await table.update(key, {
    UpdateExpression: "SET ofNewer = :kept",
    ExpressionAttributeValues: { ":kept": true },
  });
  await write({ name: "Bea", status: undefined });
  expect(await table.get(key)).toEqual({ ...key, name: "Bea", ofNewer: true });
  const isOther = {
    ConditionExpression: "#owner = :other",
    ExpressionAttributeNames: { "#owner": "owner" },
    ExpressionAttributeValues: { ":other": "other" },
  };
  const refused = transact(dynamo, [table.setFieldsWrite(key, { name: "Cid" }, isOther)]);
  await expect(refused).rejects.toThrow(StaleReadError);
});

it("a table keeps unknown fields of nested objects in every kind of write", async () => {
  const { dynamo, table, owner } = await newPartition(0);
  const item = new StoredItem(
    { table: "properties", kind: "test", key: ["*", "*"], subject: { nobody: "a test" } },
    storedObject({ list: z.array(storedObject({ name: z.string() })) }),
  );
  const key = (entry: string) => ({ owner, entry });
  const stored = { list: [{ name: "a", colour: "red" }], ofNewer: true };
  await table.put({ ...key("0"), ...stored });
  const read = item.parse(await table.get(key("0")));
  await table.put({ ...key("1"), ...read });
  await table.putMany([{ ...key("2"), ...read }]);
  await table.insertMany([{ ...key("3"), ...read }]);
  await transact(dynamo, [
    table.putWrite({ ...key("4"), ...read }),
    table.setFieldsWrite(key("5"), { list: read.list }),
  ]);
  for (const entry of ["1", "2", "3", "4"])
    expect(await table.get(key(entry))).toEqual({ ...key(entry), ...stored });
  expect(await table.get(key("5"))).toEqual({ ...key("5"), list: stored.list });
});
