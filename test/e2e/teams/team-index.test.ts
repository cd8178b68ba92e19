import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { updateTeam } from "#functions/people/search-indexer/handler.ts";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { PendingMessages } from "#shared/platform/messaging/pending-messages.ts";
import { createRuntime } from "#shared/runtime/runtime.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { api, internalApi } from "../../support/api.ts";
import { addCrowd } from "../../support/crowds.ts";
import { eventually } from "../../support/eventually.ts";
import { times } from "../../support/soak.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam, type Team } from "../../support/teams.ts";

const runtime = { ...createRuntime("test", stackConfig("test")), clock: systemClock };
const stores = storeContext(runtime);
const deps = {
  ...runtime,
  dynamo: stores.dynamo,
  accounts: new AccountStore(stores),
  features: new FeatureStore(stores),
  outbox: new Outbox(runtime),
  outboxWorker: new OutboxWorker(stores),
  pendingMessages: new PendingMessages(stores),
  searchIndex: new SearchIndexStore(stores),
  teams: new TeamStore(stores),
};

const lowestId = "00000000-0000-4000-8000-000000000000";

/**
 * More members than one message brings up to date; in the soak, than all messages that Lambda lets follow one another.
 */
const size = times(100, 1500);

const recordsOf = (userIds: readonly string[]) =>
  Promise.all(userIds.map((userId) => deps.searchIndex.recordOf(userId)));

/** Expect this many of the members to be found by other teams; they are updated in the order of ids. */
async function expectOpen(userIds: readonly string[], expected: number): Promise<void> {
  const count = async (ids: readonly string[]) =>
    (await recordsOf(ids)).filter(({ entries }) => entries.some(({ list }) => list.startsWith("open-teams#")))
      .length;
  const last = userIds.toSorted().slice(-1);
  await eventually(async () => expect(await count(last)).toBe(Math.min(expected, 1)));
  await eventually(async () => expect(await count(userIds)).toBe(expected));
}

describe("a pass over a team's index entries", () => {
  let team: Team;
  let members: string[];
  beforeAll(async () => {
    team = await newTeam();
    members = await addCrowd(team, { size });
  });

  it("ends when another one has started", async () => {
    await deps.searchIndex.beginPass(team.id, randomUUID());
    await updateTeam(deps, { teamId: team.id, progress: { passId: randomUUID(), after: lowestId } });
    expect((await recordsOf(members)).filter(({ revision }) => revision > 0)).toEqual([]);
  });

  it("reaches all members, in several steps, and leaves no trace", async () => {
    const setInbound = (status: string) =>
      internalApi("PUT", `/i/teams/${team.id}/features/searchVisibilityInbound`, { json: { status } });
    expect((await setInbound("enabled")).status).toBe(200);
    await expectOpen(members, size);
    const { body } = await api("GET", `/teams/${team.id}/search`, team.owner);
    expect(body.found).toBe(size + 1);

    expect((await setInbound("disabled")).status).toBe(200);
    await expectOpen(members, 0);
    const pass = new Table(stores, "search");
    const key = { list: `team#${team.id}`, entry: "pass" };
    await eventually(async () => expect(await pass.get(key)).toBeUndefined());
  });
});
