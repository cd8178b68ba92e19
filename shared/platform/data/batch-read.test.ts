import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { readItem } from "./batch-read.ts";
import { createDynamo } from "./dynamo.ts";
import { Table } from "./table.ts";

const dynamo = createDynamo();
const config = { tableName: (name: string) => `test-${name}`, settings: parseSettings({}) };
const properties = new Table({ dynamo, config }, "properties");
const rateLimits = new Table({ dynamo, config }, "rate-limits");

/** Items of one owner. */
async function newItems(count: number) {
  const owner = randomUUID();
  const items = Array.from({ length: count }, (_, index) => ({ owner, entry: `${index}`, text: `${index}` }));
  await properties.putMany(items);
  return { owner, items };
}

/** DynamoDB's actions during a task that concern an owner. */
async function actionsDuring(owner: string, task: () => Promise<unknown>): Promise<string[]> {
  const actions: string[] = [];
  const end = interceptAwsCalls((call, send) => {
    if (call.body.includes(owner)) actions.push(call.action);
    return send();
  });
  await task().finally(end);
  return actions;
}

it("a batch read combines the reads of one turn into one request, and gives each caller its own items", async () => {
  const { owner, items } = await newItems(3);
  await rateLimits.put({ bucket: owner, tokens: 7 });
  const actions = await actionsDuring(owner, async () => {
    const found = await Promise.all([
      properties.get({ owner, entry: "0" }),
      properties.get({ owner, entry: "missing" }),
      Promise.resolve().then(() => rateLimits.get({ bucket: owner })),
      properties.getMany([
        { owner, entry: "1" },
        { entry: "0", owner },
      ]),
    ]);
    expect(found).toEqual([items[0], undefined, { bucket: owner, tokens: 7 }, [items[1], items[0]]]);
  });
  expect(actions).toEqual(["BatchGetItem"]);
});

it("a batch read reads a single item with a request for one item", async () => {
  const { owner, items } = await newItems(1);
  const actions = await actionsDuring(owner, async () => {
    expect(await properties.get({ owner, entry: "0" })).toEqual(items[0]);
    expect(await properties.get({ owner, entry: "1" })).toBeUndefined();
  });
  expect(actions).toEqual(["GetItem", "GetItem"]);
});

it("a batch read splits reads that do not fit into one request", async () => {
  const { owner, items } = await newItems(101);
  const actions = await actionsDuring(owner, async () => {
    const found = await properties.getMany(items.map(({ entry }) => ({ owner, entry })));
    expect(found).toHaveLength(101);
  });
  expect(actions.toSorted()).toEqual(["BatchGetItem", "GetItem"]);
});

it("a batch read makes no other read wait or fail because DynamoDB leaves an item unread", async () => {
  const { owner, items } = await newItems(2);
  const tableName = properties.name;
  const isThrottled = Promise.withResolvers<void>();
  const end = interceptAwsCalls(async (call, send) => {
    if (!call.body.includes(owner)) return send();
    const isAlone = call.action === "GetItem";
    if (isAlone) await isThrottled.promise;
    return awsAnswer(
      isAlone ? 400 : 200,
      isAlone
        ? { __type: "AccessDeniedException" }
        : {
            Responses: { [tableName]: [{ owner: { S: owner }, entry: { S: "0" }, text: { S: "0" } }] },
            UnprocessedKeys: { [tableName]: { Keys: [{ owner: { S: owner }, entry: { S: "1" } }] } },
          },
    );
  });
  try {
    const unread = readItem(dynamo, tableName, { owner, entry: "1" });
    const failing = expect(unread).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(await readItem(dynamo, tableName, { owner, entry: "0" })).toEqual(items[0]);
    isThrottled.resolve();
    await failing;
  } finally {
    end();
  }
});
