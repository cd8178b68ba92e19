import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { createTable } from "#lib/local/emulators/tables.ts";
import type { Account } from "#shared/accounts/account.ts";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { migrations } from "#shared/registry/migrations.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { lateMigrations } from "./late-migrations.ts";
import { migrate } from "./migrate.ts";

const dynamo = createDynamo();

/** Tables as created by a version without the lists: they have no index. */
async function oldTables() {
  const prefix = `before-lists-${randomUUID()}`;
  const config = { settings: parseSettings({}), tableName: (name: TableName) => `${prefix}-${name}` };
  for (const table of ["accounts", "teams"] as const) {
    const { index: _, ...spec }: TableSpec = tables[table];
    await createTable(dynamo as never, config.tableName(table), spec);
  }
  const context = { dynamo, config, clock: systemClock };
  return { config, accounts: new AccountStore(context), teams: new TeamStore(context) };
}

/** Run the migrations twice, since repeating them must be safe. */
async function runAll(tableName: (name: TableName) => string) {
  for (const migration of [...lateMigrations, ...lateMigrations])
    await migrate({ dynamo, tableName: tableName(migration.table), migration, itemsPerSecond: 1e6 });
}

const newAccount = (fields: Partial<Account> = {}) => ({
  userId: randomUUID(),
  status: "active" as const,
  name: "Ada",
  accentId: 0,
  assets: [],
  picture: [],
  locale: "en",
  supportedProtocols: [],
  managedByScim: false,
  sessionEpoch: 0,
  createdAt: Date.now(),
  ...fields,
});

test("no migration has the id of another", () => {
  const ids = [...migrations, ...lateMigrations].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("accounts and teams of older versions are listed by the time of their creation, once there is an index", async () => {
  const { config, accounts, teams } = await oldTables();
  const times = [1_600_000_000_000, 1_600_000_000_001, 1_700_000_000_000];
  const people = times.map((createdAt) => newAccount({ createdAt, email: `${randomUUID()}@example.com` }));
  const unlisted = [
    newAccount({ status: "deleted" }),
    newAccount({ service: { id: randomUUID(), provider: randomUUID() } }),
  ];
  for (const account of [...people, ...unlisted]) await transact(dynamo, accounts.save(undefined, account));
  const founded = times.map((statusChangedAt) => ({
    teamId: randomUUID(),
    creator: randomUUID(),
    name: "Engines",
    icon: "default",
    splashScreen: "default",
    status: "active" as const,
    statusChangedAt,
    searchVisibility: "standard" as const,
  }));
  const owner = { permissions: permissionsOf("owner"), legalHoldStatus: "no_consent" as const };
  for (const team of founded) await transact(dynamo, teams.create(team, owner));
  for (const Key of people.map(({ userId }) => ({ pk: `user#${userId}`, sk: "account" })))
    await withoutListing(config.tableName("accounts"), Key);
  for (const Key of founded.map(({ teamId }) => ({ owner: `team#${teamId}`, entry: "team" })))
    await withoutListing(config.tableName("teams"), Key);

  for (const table of ["accounts", "teams"] as const)
    await createTable(dynamo as never, config.tableName(table), tables[table]);
  expect((await accounts.pageOfNewest({ limit: 9 })).accounts).toEqual([]);

  await runAll(config.tableName);
  const listed = await accounts.pageOfNewest({ limit: 9 });
  expect(listed.accounts.map(({ userId }) => userId)).toEqual(
    people.toReversed().map(({ userId }) => userId),
  );
  expect(listed.accounts.map(({ revision }) => revision)).toEqual([2, 2, 2]);
  expect(
    (await teams.pageOfNewest({ limit: 9 })).teams.map(({ team, foundedAt }) => [team.teamId, foundedAt]),
  ).toEqual(
    founded
      .toReversed()
      .map(({ teamId, statusChangedAt }) => [teamId, new Date(statusChangedAt).toISOString()]),
  );
});

test("an account that no migration has seen is listed once it changes", async () => {
  const { config, accounts } = await oldTables();
  await createTable(dynamo as never, config.tableName("accounts"), tables.accounts);
  const account = newAccount();
  await transact(dynamo, accounts.save(undefined, account));
  await withoutListing(config.tableName("accounts"), { pk: `user#${account.userId}`, sk: "account" });
  expect((await accounts.pageOfNewest({ limit: 9 })).accounts).toEqual([]);

  const read = (await accounts.get(account.userId)) as Account;
  await transact(dynamo, accounts.save(read, { ...read, name: "Bob" }));
  expect((await accounts.pageOfNewest({ limit: 9 })).accounts).toMatchObject([{ name: "Bob" }]);
});

const withoutListing = (TableName: string, Key: Record<string, string>) =>
  dynamo.send(new UpdateCommand({ TableName, Key, UpdateExpression: "REMOVE listedIn, listedAt" }));
