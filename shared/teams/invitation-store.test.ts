import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { Invitation } from "./invitation.ts";
import { hashOfCode } from "./invitation-code.ts";
import { InvitationStore } from "./invitation-store.ts";
import { TooManyInvitationsError } from "./team-errors.ts";

const dynamo = createDynamo();
const tableName = (name: string) => `test-${name}`;
const daySeconds = 86_400;
const lifetime = 21 * daySeconds;

/** A store with a limit on a team's pending invitations. */
function newStore({ maxTeamSize = 100 } = {}) {
  const config = { tableName, settings: parseSettings({ maxTeamSize }) } as Config;
  const table = new Table({ dynamo, config }, "teams");
  const time = { now: Date.UTC(2026, 0, 31, 12) };
  const store = new InvitationStore({ dynamo, config, clock: () => time.now });
  const teamId = randomUUID();

  const invitation = (addressKey = `${randomUUID()}@example.com`): Invitation => ({
    teamId,
    invitationId: randomUUID(),
    role: "member",
    email: addressKey,
    addressKey,
    createdBy: randomUUID(),
    createdAt: time.now,
    expiresAt: Math.floor(time.now / 1000) + lifetime,
    codeHash: hashOfCode(randomUUID()),
  });
  const add = async (added = invitation()) => {
    await transact(dynamo, store.add(added, await store.readState(added), undefined));
    return added;
  };
  const remove = async (removed: Invitation) =>
    transact(dynamo, store.remove(removed, await store.readState(removed)));
  const listed = async () =>
    (await store.page(teamId, { limit: 500 })).map(({ invitationId }) => invitationId);
  const itemsOf = (owner: string) => listOf(table.query(owner));
  const itemsOfTeam = () => itemsOf(`team#${teamId}`);
  return { store, teamId, time, invitation, add, remove, listed, itemsOf, itemsOfTeam };
}

async function listOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

const inOrder = (invitations: readonly Invitation[]) =>
  invitations.map(({ invitationId }) => invitationId).sort();

it("the store of invitations lists invitations in the order of their ids, and pages them", async () => {
  const { store, teamId, add } = newStore();
  const ids = inOrder([await add(), await add(), await add()]);
  const pageAfter = async (after?: string) =>
    (await store.page(teamId, { after, limit: 2 })).map(({ invitationId }) => invitationId);
  expect(await pageAfter()).toEqual(ids.slice(0, 2));
  expect(await pageAfter(ids[1])).toEqual(ids.slice(2));
});

it("the store of invitations never has more pending invitations than allowed, even if many are added concurrently", async () => {
  const { add, listed } = newStore({ maxTeamSize: 3 });
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => add()));
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(
    errors.filter((error) => !(error instanceof TooManyInvitationsError || error.name === "ConflictError")),
  ).toEqual([]);
  expect((await listed()).length).toBeLessThanOrEqual(3);
  await expect(Promise.all([add(), add(), add(), add()])).rejects.toThrow();
});

it("the store of invitations has room for one more invitation whenever one is removed", async () => {
  const { add, remove } = newStore({ maxTeamSize: 2 });
  const [first] = [await add(), await add()];
  await expect(add()).rejects.toThrow(TooManyInvitationsError);
  await remove(first);
  await add();
  await expect(add()).rejects.toThrow(TooManyInvitationsError);
});

it("the store of invitations has room again on the day after invitations expire, whether or not they are still stored", async () => {
  const { add, remove, listed, time } = newStore({ maxTeamSize: 2 });
  await add();
  time.now += daySeconds * 1000;
  const later = await add();
  time.now += (lifetime - daySeconds) * 1000;
  expect(await listed()).toEqual([later.invitationId]);
  await expect(add()).rejects.toThrow(TooManyInvitationsError);
  time.now += (daySeconds / 2) * 1000;
  const [one] = [await add()];
  await expect(add()).rejects.toThrow(TooManyInvitationsError);
  await remove(one);
  await remove(later);
  await add();
  await add();
  await expect(add()).rejects.toThrow(TooManyInvitationsError);
});

it("the store of invitations keeps eight counted invitations to one address, and drops the oldest for one more", async () => {
  const { add, invitation, listed, store } = newStore({ maxTeamSize: 9 });
  const { addressKey } = invitation();
  const sent: Invitation[] = [];
  for (let count = 0; count < 9; count++) sent.push(await add(invitation(addressKey)));
  expect(await listed()).toEqual(inOrder(sent.slice(1)));
  await add();
  await expect(add()).rejects.toThrow(TooManyInvitationsError);
  const newest = await listOf(store.ofAddress(addressKey));
  expect(newest).toEqual([{ teamId: sent[8]?.teamId, invitationId: sent[8]?.invitationId }]);
});

it("the store of invitations lets one of several concurrent acceptances win, and then removes all invitations to the address", async () => {
  const { add, invitation, itemsOfTeam, listed, store } = newStore();
  const first = await add();
  const second = await add(invitation(first.addressKey));
  const other = await add();
  const state = await store.readState(first);
  const outcomes = await Promise.allSettled([
    transact(dynamo, store.use(first, state)),
    transact(dynamo, store.use(second, state)),
    transact(dynamo, store.remove(second, state)),
  ]);
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(errors).toHaveLength(2);
  expect(
    errors.filter((error) => !(error instanceof StaleReadError || error.name === "ConflictError")),
  ).toEqual([]);
  if (outcomes[2]?.status === "rejected") expect(await listed()).toEqual([other.invitationId]);
  expect(await itemsOfTeam()).toHaveLength((await listed()).length + 1);
});

it("the store of invitations finds an invitation by its code until it expires", async () => {
  const { invitation, store, time } = newStore();
  const code = randomUUID();
  const added = { ...invitation(), codeHash: hashOfCode(code) };
  await transact(dynamo, store.add(added, await store.readState(added), undefined));
  expect(await store.findByCode(code)).toEqual(added);
  expect(await store.findByCode(`${code}x`)).toBeUndefined();
  time.now += lifetime * 1000;
  expect(await store.findByCode(code)).toBeUndefined();
  expect(await store.get(added)).toBeUndefined();
  expect(await listOf(store.ofAddress(added.addressKey))).toEqual([]);
});

it("the store of invitations leaves nothing behind when all invitations of a team are removed", async () => {
  const { add, invitation, itemsOf, itemsOfTeam, store, teamId } = newStore({ maxTeamSize: 300 });
  const sent: Invitation[] = [];
  for (let count = 0; count < 6; count++)
    sent.push(...(await Promise.all(Array.from({ length: 20 }, () => addPatiently()))));
  const again = await add(invitation(sent[0]?.addressKey));
  await store.removeAll(teamId);
  expect(await itemsOfTeam()).toEqual([]);
  for (const { codeHash, addressKey } of [...sent.slice(0, 3), again]) {
    expect(await itemsOf(`code#${codeHash}`)).toEqual([]);
    expect(await listOf(store.ofAddress(addressKey))).toEqual([]);
  }
  await store.removeAll(teamId);

  async function addPatiently(): Promise<Invitation> {
    const added = invitation();
    for (;;) {
      try {
        return await add(added);
      } catch (error) {
        if ((error as Error).name !== "ConflictError") throw error;
      }
    }
  }
});

it("the store of invitations keeps the address of a revoked invitation only as long as needed to limit mails", async () => {
  const { store, time, invitation, remove, itemsOf } = newStore();
  const added = invitation();
  const mailTat = time.now + 3600 * 1000;
  await transact(dynamo, store.add(added, await store.readState(added), mailTat));
  const addressItems = () => itemsOf(`email#${added.addressKey}`);
  expect(await addressItems()).toMatchObject([{ purgeAtSeconds: added.expiresAt }]);
  await remove(added);
  expect(await addressItems()).toMatchObject([{ invitations: [], purgeAtSeconds: mailTat / 1000 }]);
});
