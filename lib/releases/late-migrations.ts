import { listingOf as listingOfAccount } from "#shared/accounts/account-store.ts";
import type { Migration } from "#shared/registry/migrations.ts";
import { listingOf as listingOfTeam } from "#shared/teams/team-store.ts";

/**
 * Changes of stored items that this version does not need, but without which its lists are incomplete. They are run by
 * `npm run migrate -- --after-deployment`, once no older version is running, which would store items without them.
 * Their ids are in the same series as those of `migrations`.
 */
export const lateMigrations: readonly Migration[] = [
  {
    id: 1,
    summary: "Lists the accounts that versions before 1.0.0 have created",
    table: "accounts",
    reads: ["userId", "status", "createdAt", "service", "listedIn"],
    change: ({ pk, sk, listedIn, ...account }) =>
      String(pk).startsWith("user#") && sk === "account" && listedIn === undefined
        ? toChange(listingOfAccount(account as unknown as Parameters<typeof listingOfAccount>[0]))
        : undefined,
  },
  {
    id: 2,
    summary: "Lists the teams that versions before 1.0.0 have founded, as of when their status last changed",
    table: "teams",
    reads: ["teamId", "status", "statusChangedAt", "listedIn"],
    change: ({ entry, status, listedIn, ...team }) =>
      entry === "team" && status !== "deleted" && listedIn === undefined
        ? toChange(listingOfTeam(team as unknown as Parameters<typeof listingOfTeam>[0]))
        : undefined,
  },
];

const toChange = (set: Readonly<Record<string, unknown>> | undefined) => set && { set };
