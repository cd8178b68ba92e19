import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { toDirectoryEntry } from "./directory-entry.ts";
import { DirectoryStore, directoryItemOf } from "./directory-store.ts";

const dynamo = createDynamo();
const config = { tableName: (name) => `test-${name}` } as Config;
const store = new DirectoryStore({ dynamo, config, clock: Date.now });

const newEntry = (teamId: string, name: string) =>
  toDirectoryEntry(
    randomUUID(),
    {
      name,
      accentId: 1,
      handle: undefined,
      teamId,
      email: "ada@example.com",
      emailUnvalidated: undefined,
      managedByScim: false,
      samlIdentity: undefined,
      externalId: undefined,
      createdAt: 1,
    },
    "member",
  );

describe("the directory of a team", () => {
  it.each([0, 1, 2001, 10_000, 1_000_000])(
    "is read as a whole if %i members are expected",
    async (expected) => {
      const [teamId, otherTeamId] = [randomUUID(), randomUUID()];
      const entries = Array.from({ length: 100 }, (_, index) => newEntry(teamId, `Ada ${index}`));
      const items = entries.map((entry) => directoryItemOf(teamId, entry));
      const other = directoryItemOf(otherTeamId, newEntry(otherTeamId, "Bob"));
      await new Table({ dynamo, config }, "search").putMany([...items, other]);

      const listed = await store.list(teamId, expected);
      const byName = (one: { name: string }, another: { name: string }) =>
        one.name.localeCompare(another.name);
      expect(listed.toSorted(byName)).toEqual(entries.toSorted(byName));
    },
  );
});
