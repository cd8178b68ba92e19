import { randomUUID } from "node:crypto";
import { BatchWriteCommand, DeleteCommand, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { createTable } from "#lib/local/emulators/tables.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { Migration } from "#shared/registry/migrations.ts";
import { tables } from "#shared/registry/tables.ts";
import { requireMigration } from "#shared/runtime/migration-state.ts";
import { injectFaults } from "../../test/support/faults.ts";
import { migrate } from "./migrate.ts";

const dynamo = createDynamo();

/** Doubles a number into an attribute of a new name. */
const doubling: Migration = {
  id: 7,
  summary: "Doubles numbers",
  table: "domains",
  reads: ["number"],
  change: ({ number, doubled }) =>
    typeof number !== "number" || doubled === 2 * number ? undefined : { set: { doubled: 2 * number } },
};

/** A table with so many items. */
async function newTable(count: number) {
  const tableName = `migrated-${randomUUID()}`;
  await createTable(dynamo as never, tableName, tables.domains);
  const items = Array.from({ length: count }, (_, number) => ({
    owner: `owner#${number % 50}`,
    entry: String(number),
    number,
    kept: "by everybody",
    ...(number % 2 === 0 && { revision: 3 }),
  }));
  for (const part of chunks(items, 25)) {
    const requests = part.map((Item) => ({ PutRequest: { Item } }));
    await dynamo.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
  }
  const read = async (number: number) => {
    const Key = { owner: `owner#${number % 50}`, entry: String(number) };
    return (await dynamo.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
  };
  const options = { dynamo, tableName, migration: doubling, itemsPerSecond: 1e6 };
  return { tableName, read, options };
}

test("two concurrent runs of a migration change all of 2,000 items, each once, despite faults", async () => {
  const { options, read, tableName } = await newTable(2000);
  await expect(requireMigration(dynamo, tableName, doubling)).rejects.toThrow("needs migration 7");
  const endFaults = injectFaults(({ action, body, isLastAttempt }) =>
    body.includes(tableName) && action === "UpdateItem" && !isLastAttempt && Math.random() < 0.1
      ? Math.random() < 0.5
        ? "failed"
        : "answer-lost"
      : undefined,
  );
  onTestFinished(endFaults);
  await Promise.all([migrate(options), migrate(options)]);
  for (let number = 0; number < 2000; number += 97) {
    const isVersioned = number % 2 === 0;
    expect(await read(number)).toMatchObject({
      doubled: 2 * number,
      kept: "by everybody",
      ...(isVersioned && { revision: 4 }),
    });
  }
  await requireMigration(dynamo, tableName, doubling);
  expect(await migrate(options)).toMatchObject({ isDone: true });
});

test("a migration that was killed continues where it stopped", async () => {
  const { options, tableName } = await newTable(500);
  let pages = 0;
  const dying = migrate({
    ...options,
    report: () => {
      if (++pages === 2) throw new Error("killed");
    },
  });
  await expect(dying).rejects.toThrow("killed");
  const seen: number[] = [];
  await migrate({ ...options, report: (state) => seen.push(state.seen) });
  expect(seen).toEqual([300, 400, 500, 500]);
  await requireMigration(dynamo, tableName, doubling);
});

test("a migration decides again about an item that changes meanwhile, and skips one that is gone", async () => {
  const { options, read, tableName } = await newTable(2);
  const keyOf = (number: number) => ({ owner: `owner#${number}`, entry: String(number) });
  let isFirst = true;
  const migration: Migration = {
    ...doubling,
    change(item) {
      const change = doubling.change(item);
      if (isFirst) interfere();
      isFirst = false;
      return change;
    },
  };
  const interfering: Promise<unknown>[] = [];
  function interfere() {
    const update = { UpdateExpression: "SET #n = :n", ExpressionAttributeNames: { "#n": "number" } };
    interfering.push(
      dynamo.send(
        new UpdateCommand({
          TableName: tableName,
          Key: keyOf(1),
          ...update,
          ExpressionAttributeValues: { ":n": 10 },
        }),
      ),
      dynamo.send(new DeleteCommand({ TableName: tableName, Key: keyOf(0) })),
    );
  }
  await migrate({ ...options, migration });
  await Promise.all(interfering);
  // In either order: a second run finds items that the first could not see.
  const again: Migration = { ...doubling, id: 8 };
  await migrate({ ...options, migration: again });
  expect(await read(1)).toMatchObject({ number: 10, doubled: 20 });
  expect(await read(0)).toBeUndefined();
});
