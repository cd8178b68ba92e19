import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { updateIndex } from "#functions/people/search-indexer/handler.ts";
import type { Account } from "#shared/accounts/account.ts";
import { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { newWord } from "../../support/search.ts";
import { stackConfig } from "../../support/stack-config.ts";

/** The index of the shared stack, with made-up accounts. */
function createIndex() {
  const config = stackConfig("test");
  const dynamo = createDynamo();
  const context = { dynamo, config, clock: Date.now };
  const searchIndex = new SearchIndexStore(context);
  const stores = {
    dynamo,
    searchIndex,
    features: new FeatureStore(context),
    settings: config.settings,
    teams: new TeamStore(context),
  };
  const userId = randomUUID();
  /** Runs a worker that reads this state of the account. */
  const update = (account: Account | undefined) => run(async () => account);
  /** Runs a worker that reads an older state of the account, and is overtaken by one that reads the newest. */
  async function overtake(older: Account, newest: Account) {
    let reads = 0;
    await run(async () => {
      if (reads++ > 0) return newest;
      await update(newest);
      return older;
    });
  }
  const run = (get: () => Promise<Account | undefined>) =>
    updateIndex({ ...stores, accounts: { get } }, userId);
  const account = (revision: number, changed: Partial<Account>): Account => ({
    userId,
    revision,
    status: "active",
    name: "Ada",
    accentId: 0,
    assets: [],
    picture: [],
    locale: "en",
    supportedProtocols: ["proteus"],
    managedByScim: false,
    email: "ada@example.com",
    sessionEpoch: 0,
    createdAt: 0,
    ...changed,
  });
  /** Names that a search for a word finds in all lists. */
  async function namesAt(word: string): Promise<string[]> {
    const kinds = ["handles", "names", "names-without-handle"] as const;
    const pages = await Promise.all(
      kinds.map((kind) =>
        searchIndex.read({ scope: "public", kind }, { prefix: word, limit: 10, otherWords: [] }),
      ),
    );
    return pages.flatMap(({ documents }) => documents.map(({ name }) => name));
  }
  const record = () => searchIndex.recordOf(userId);
  return {
    account,
    dynamo,
    namesAt,
    overtake,
    record,
    run,
    tableName: config.tableName("search"),
    update,
    userId,
  };
}

describe.concurrent("the search index of a user", () => {
  it("has an entry for each word of the name and one for the handle", async () => {
    const { account, namesAt, record, update, userId } = createIndex();
    const [one, other, handle] = [newWord(), newWord(), newWord()];
    await update(account(1, { name: `${one} ${other} ${one}`, handle }));

    const { entries, revision } = await record();
    expect(revision).toBe(1);
    expect(entries).toEqual([
      { list: `public#handles#${handle[0]}`, entry: `${handle} ${userId}` },
      { list: `public#names#${one[0]}`, entry: `${one} ${userId}` },
      { list: `public#names#${other[0]}`, entry: `${other} ${userId}` },
    ]);
    for (const word of [one, other, handle]) expect(await namesAt(word)).toHaveLength(1);
  });

  it("follows the account, and leaves no entry of an earlier state behind", async () => {
    const { account, dynamo, record, tableName, update } = createIndex();
    const words = Array.from({ length: 6 }, newWord);
    const [a, b, c, d, handle, otherHandle] = words;
    const written = new Map<string, { list: string; entry: string }>();
    const states: Partial<Account>[] = [
      { name: `${a} ${b}` },
      { name: `${a} ${c}`, handle },
      { name: `${a} ${c}`, handle: otherHandle, accentId: 7 },
      { name: `${d}`, teamId: randomUUID() },
      { name: `${d}`, handle },
      { name: "", email: undefined, phone: "+4930123456" },
    ];
    for (const [index, state] of states.entries()) {
      await update(account(index + 1, state));
      const { entries } = await record();
      for (const key of entries) written.set(`${key.list} ${key.entry}`, key);
      for (const { list, entry } of written.values()) {
        const { Items = [] } = await dynamo.send(
          new QueryCommand({
            TableName: tableName,
            KeyConditionExpression: "#list = :list AND entry = :entry",
            ExpressionAttributeNames: { "#list": "list" },
            ExpressionAttributeValues: { ":list": list, ":entry": entry },
          }),
        );
        const isCurrent = entries.some((key) => key.list === list && key.entry === entry);
        expect(Items).toHaveLength(isCurrent ? 1 : 0);
        if (isCurrent) expect(Items[0]?.name).toBe(state.name);
      }
    }
  });

  it("is not reverted by a worker that read the account earlier", async () => {
    const { account, namesAt, overtake, record } = createIndex();
    const [older, newer] = [newWord(), newWord()];
    await overtake(account(1, { name: older }), account(2, { name: newer }));

    expect(await namesAt(newer)).toEqual([newer]);
    expect(await namesAt(older)).toEqual([]);
    expect(await record()).toMatchObject({ revision: 2 });
  });

  it("is not reverted by a worker that read between two changes, of which the second undoes the first", async () => {
    const { account, namesAt, overtake, update } = createIndex();
    const [first, second] = [newWord(), newWord()];
    await update(account(1, { name: first }));
    await overtake(account(2, { name: second }), account(3, { name: first }));

    expect(await namesAt(first)).toEqual([first]);
    expect(await namesAt(second)).toEqual([]);
  });

  it.each(["suspended", "deleted", "ephemeral"] as const)(
    "is emptied when the user is %s, even if a worker read an earlier state",
    async (status) => {
      const { account, namesAt, overtake, record, update } = createIndex();
      const name = newWord();
      await update(account(1, { name }));
      await overtake(account(2, { name }), account(3, { name, status }));

      expect(await namesAt(name)).toEqual([]);
      expect(await record()).toMatchObject({ revision: 3, entries: [] });
      await update(account(4, { name }));
      expect(await namesAt(name)).toEqual([name]);
    },
  );

  it("stays empty until the account is activated", async () => {
    const { account, namesAt, update } = createIndex();
    const name = newWord();
    await update(undefined);
    await update(account(1, { name, email: undefined }));
    expect(await namesAt(name)).toEqual([]);
    await update(account(2, { name, email: undefined, managedByScim: true }));
    expect(await namesAt(name)).toEqual([name]);
  });

  it("shows the newest of 20 states that concurrent workers have read", async () => {
    const { account, namesAt, run } = createIndex();
    const words = Array.from({ length: 20 }, newWord);
    let reads = 0;
    const next = async () => {
      const index = Math.min(reads++, 19);
      return account(index + 1, {
        name: words[index],
        ...(index % 3 === 1 && { handle: `${words[index]}.h` }),
      });
    };
    await Promise.all(words.map(() => run(next)));
    for (const [index, word] of words.entries()) {
      expect(await namesAt(word)).toHaveLength(index === 19 ? 2 : 0);
    }
  });

  it("stores a name and a handle with the longest words in one transaction", async () => {
    const { account, record, update } = createIndex();
    const wide = (first: number) =>
      Array.from({ length: 16 }, (_, index) =>
        `${String.fromCodePoint(first + index * 11)}${"🫱🏿‍🫲🏻".repeat(6)}`.slice(0, 32),
      ).join(" ");
    const more = Array.from({ length: 40 }, (_, index) => `w${index}`).join(" ");
    await update(account(1, { name: wide(0x4e00), handle: "h".repeat(256) }));
    await update(account(2, { name: `${more}`, handle: "g".repeat(256) }));
    expect((await record()).entries).toHaveLength(17);
  });
});
