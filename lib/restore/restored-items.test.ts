import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { createTable } from "../local/emulators/tables.ts";
import { allItemKinds } from "../releases/item-kinds.ts";
import { applyRules, noteOptions } from "./apply-rules.ts";
import { pagesOf } from "./read-table.ts";
import { checkRecoverable } from "./restored-tables.ts";
import { verifyPairs } from "./verify-pairs.ts";

const dynamo = createDynamo();

async function newTable(table: TableName, items: readonly object[] = []) {
  const tableName = `restored-${randomUUID()}`;
  await createTable(dynamo, tableName, tables[table]);
  for (const Item of items) await dynamo.send(new PutCommand({ TableName: tableName, Item }));
  return tableName;
}

describe.concurrent("the options of a restore", () => {
  it("must be the same when it continues, because finished items depend on them", async () => {
    const restoredName = await newTable("accounts");
    const begun = { table: "accounts", restoredName, isLiveTrusted: true, segments: 2 } as const;
    await noteOptions(dynamo, begun);
    await noteOptions(dynamo, begun);
    for (const other of [{ isLiveTrusted: false }, { segments: 3 }])
      await expect(noteOptions(dynamo, { ...begun, ...other })).rejects.toThrow("begun with other options");
  });
});

describe.concurrent("invitations", () => {
  const owner = `team#${randomUUID()}`;
  const [open, revoked, recent] = ["open", "revoked", "recent"].map((id) => ({
    owner,
    entry: `invitation#${id}`,
  }));
  const tablesOf = async () => ({
    live: await newTable("teams", [{ ...open }, { ...recent }]),
    restoredName: await newTable("teams", [{ ...open }, { ...revoked }]),
  });
  const apply = async (isLiveTrusted: boolean) => {
    await allItemKinds();
    const { live, restoredName } = await tablesOf();
    const liveName = () => live;
    for (let run = 0; run < 2; run++)
      await applyRules({ dynamo, table: "teams", liveName, restoredName, isLiveTrusted, segments: 2 });
    const found: unknown[] = [];
    for await (const items of pagesOf(dynamo, restoredName)) found.push(...items.map(({ entry }) => entry));
    return found.filter((entry) => String(entry).startsWith("invitation#")).toSorted();
  };

  it("are those of today", async () => {
    expect(await apply(true)).toEqual([open?.entry, recent?.entry]);
  });

  it("are all gone if the live tables cannot be trusted", async () => {
    expect(await apply(false)).toEqual([]);
  });
});

describe.concurrent("a table that was deleted", () => {
  const at = new Date();
  const check = async (target: string, isLiveTrusted: boolean) =>
    checkRecoverable(
      new DynamoDBClient(),
      [{ table: "accounts", source: `deleted-${randomUUID()}`, target, isEmpty: false }],
      { at, isLiveTrusted },
    );

  it("is refused with the name under which its backup must be restored", async () => {
    await expect(check("its-successor", false)).rejects.toThrow("under the name its-successor");
  });

  it("allows the use of its backup only if the live tables are not trusted", async () => {
    const target = await newTable("accounts");
    await expect(check(target, true)).rejects.toThrow("add --distrust-live");
    await check(target, false);
  });
});

describe.concurrent("the check of pairs", () => {
  const [ada, bob, id, teamId] = Array.from({ length: 4 }, () => randomUUID());

  it("finds connections of which one side is missing", async () => {
    await allItemKinds();
    const side = (userId = "", peerId = "") => ({
      owner: `user#${userId}`,
      entry: `peer#${peerId}`,
      userId,
      peerId,
    });
    const whole = [side(ada, bob), side(bob, ada), { owner: `user#${ada}`, entry: "count" }];
    const check = async (items: object[]) =>
      verifyPairs(dynamo, { table: "connections", tableName: await newTable("connections", items) });
    expect(await check(whole)).toEqual({ seen: 2, single: [] });
    expect(await check([...whole, side(ada, id)])).toEqual({
      seen: 3,
      single: [JSON.stringify([`user#${ada}`, `peer#${id}`])],
    });
  });

  it("finds members without their list entry, and entries without the member or the team's conversation", async () => {
    await allItemKinds();
    const owner = `conversation#${id}`;
    const member = { owner, entry: `member#${ada}`, conversationId: id, userId: ada };
    const list = { owner: `user#${ada}`, entry: owner, conversationId: id };
    const ofTeam = { owner: `team#${teamId}`, entry: owner, conversationId: id, teamId };
    const conversation = { owner, entry: "conversation", conversationId: id };
    const check = async (...items: object[]) =>
      verifyPairs(dynamo, { table: "conversations", tableName: await newTable("conversations", items) });
    expect(await check(member, list, ofTeam, conversation)).toEqual({ seen: 3, single: [] });
    expect((await check(member, conversation)).single).toEqual([JSON.stringify([owner, member.entry])]);
    expect((await check(list, conversation)).single).toEqual([JSON.stringify([list.owner, owner])]);
    expect((await check(ofTeam)).single).toEqual([JSON.stringify([ofTeam.owner, owner])]);
  });
});
