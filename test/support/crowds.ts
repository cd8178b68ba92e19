import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { noDevices } from "#shared/devices/device.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact, type Write } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import type { Team } from "#shared/teams/team.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { stackConfig } from "./stack-config.ts";

interface Crowd {
  readonly size: number;
  /** Characters of rich info per member. */
  readonly richInfoCharacters?: number;
}

/** DynamoDB's limit on writes in one transaction. */
const writesAtOnce = 100;

/** The counts of a team are one item, which no transaction may change for several members. */
const isCount = ({ item: { Update } }: Write): boolean => Update?.Key?.entry === "team";

/**
 * Add many members to a team that has only its founder, as if they had joined one after another: with email addresses,
 * handles, two devices each, and rich info. They cannot log in.
 */
export async function addCrowd(
  team: { readonly id: string; readonly owner: { readonly id: string } },
  { size, richInfoCharacters = 100 }: Crowd,
  prefix = "test",
): Promise<string[]> {
  const context = { dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock };
  const teams = new TeamStore(context);
  const accounts = new AccountStore(context);
  const devices = new DeviceStore(context);
  const richInfo = new RichInfoStore(context);
  const now = context.clock();

  const writesOf = (userId: string): Write[] => {
    const device = {
      type: "permanent" as const,
      class: "desktop" as const,
      label: "Browser on a desk",
      capabilities: [],
      mlsPublicKeys: {},
      registeredAt: now,
      lastActiveAt: now,
    };
    return [
      ...accounts.save(undefined, accountOf(userId, team.id, now)),
      ...teams.addMember({
        teamId: team.id,
        userId,
        permissions: permissionsOf("member"),
        invitedBy: team.owner.id,
        invitedAt: now,
        legalHoldStatus: "no_consent",
      }),
      devices.put(noDevices(userId), {
        a1: { ...device, clientId: "a1" },
        b2: { ...device, clientId: "b2" },
      }),
      richInfo.put(userId, {
        version: 1,
        fields: [{ type: "Department", value: textOf(userId, richInfoCharacters) }],
      }),
    ];
  };

  const userIds = Array.from({ length: size }, () => randomUUID());
  await commitAll(
    context.dynamo,
    userIds.flatMap(writesOf).filter((write) => !isCount(write)),
  );
  await setCounts(team, { memberCount: size + 1 }, prefix);
  context.dynamo.destroy();
  return userIds;
}

/** Create many active users without a team, the first of them first: with email addresses and handles. They cannot log in. */
export async function addPeople(size: number, prefix = "test"): Promise<string[]> {
  const context = { dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock };
  const accounts = new AccountStore(context);
  const userIds = Array.from({ length: size }, () => randomUUID());
  const begin = context.clock() - size;
  await commitAll(
    context.dynamo,
    userIds.flatMap((userId, index) => accounts.save(undefined, accountOf(userId, undefined, begin + index))),
  );
  context.dynamo.destroy();
  return userIds;
}

/** Commits writes in the given order, not all or none. */
async function commitAll(dynamo: ReturnType<typeof createDynamo>, writes: readonly Write[]): Promise<void> {
  for (const some of chunks(writes, writesAtOnce)) await transact(dynamo, some);
}

const accountOf = (userId: string, teamId: string | undefined, now: number): Omit<Account, "revision"> => ({
  userId,
  status: "active",
  name: `Member ${userId.slice(0, 8)} of Many`,
  accentId: 0,
  assets: [],
  picture: [],
  locale: "en",
  supportedProtocols: ["proteus", "mls"],
  managedByScim: false,
  email: `${userId}@example.com`,
  handle: `m${userId.slice(0, 12)}`,
  teamId,
  sessionEpoch: 0,
  createdAt: now,
});

/** Text that hardly compresses. */
const textOf = (userId: string, characters: number): string =>
  Array.from({ length: Math.ceil(characters / 36) }, (_, index) => (index === 0 ? userId : randomUUID()))
    .join("")
    .slice(0, characters);

/** Set the member count of a team without adding members. */
export async function setCounts(
  { id }: { readonly id: string },
  counts: Partial<Pick<Team, "memberCount" | "adminCount">>,
  prefix = "test",
): Promise<void> {
  const dynamo = createDynamo();
  const assignments = Object.keys(counts).map((name) => `${name} = :${name}`);
  await new Table({ dynamo, config: stackConfig(prefix) }, "teams").update(
    { owner: `team#${id}`, entry: "team" },
    {
      UpdateExpression: `SET ${assignments.join(", ")}`,
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(counts).map(([name, count]) => [`:${name}`, count]),
      ),
    },
  );
  dynamo.destroy();
}
