import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { injectFaults } from "../../../test/support/faults.ts";
import { Audiences } from "./audiences.ts";

const settings = parseSettings({});
const config = { settings, tableName: (name: string) => `test-${name}` } as Config;
const context = { dynamo: createDynamo(), config, clock: systemClock };
const teams = new TeamStore(context);
const deps = { features: new FeatureStore(context), settings, teams };

/** A team with its creator, who is an admin, and further members. */
async function newTeam({ members }: { members: number }) {
  const teamId = randomUUID();
  const creator = randomUUID();
  const team = {
    teamId,
    creator,
    name: "Engines",
    icon: "default",
    splashScreen: "default",
    status: "active" as const,
    statusChangedAt: systemClock(),
    searchVisibility: "standard" as const,
  };
  const owner = { permissions: permissionsOf("owner"), legalHoldStatus: "no_consent" as const };
  await transact(context.dynamo, teams.create(team, owner));
  for (let number = 0; number < members; number++) {
    const member = { teamId, userId: randomUUID(), legalHoldStatus: "no_consent" as const };
    await transact(context.dynamo, teams.addMember({ ...member, permissions: permissionsOf("member") }));
  }
  return { teamId, creator };
}

/** The admins of a team, requested several times, and the number of calls that this takes. */
async function adminsOf(teamId: string, times: number) {
  const audiences = new Audiences(deps);
  let calls = 0;
  const endFaults = injectFaults(({ body }) => {
    if (body.includes(teamId)) calls++;
    return undefined;
  });
  const lists = Array.from({ length: times }, async () => {
    const userIds: string[] = [];
    for await (const userId of audiences.members({ teamId, members: "admins" })) userIds.push(userId);
    return userIds;
  });
  const found = await Promise.all(lists).finally(endFaults);
  return { found, calls };
}

it("an audience looks up the admins of a team once for all events of a round", async () => {
  const { teamId, creator } = await newTeam({ members: 3 });
  expect(await adminsOf(teamId, 5)).toEqual({ found: Array(5).fill([creator]), calls: 1 });
});

it("an audience names no members of a team that is too large", async () => {
  const { teamId } = await newTeam({ members: 3 });
  const audiences = new Audiences({ ...deps, settings: parseSettings({ maxFanoutSize: 3 }) });
  const userIds: string[] = [];
  for await (const userId of audiences.members({ teamId, members: "all" })) userIds.push(userId);
  expect(userIds).toEqual([]);
});
