import { expect } from "vitest";
import { connectUsers } from "./connections.ts";
import { createConversation } from "./conversations.ts";
import { eventually } from "./eventually.ts";
import { type MlsClient, newMlsClient } from "./mls.ts";
import { newUser, type User } from "./users.ts";

/** At least one item. */
type Some<Item> = [Item, ...Item[]];

/** Users of whom the first is connected to all others. */
export async function newAcquaintances(count: number): Promise<Some<User>> {
  const users = (await Promise.all(Array.from({ length: count }, () => newUser()))) as Some<User>;
  const [first, ...others] = users;
  await Promise.all(others.map((other) => connectUsers(first, other)));
  return users;
}

/** A device with key packages for each of some users, of whom the first is connected to all others. */
export async function newPeople<Count extends 1 | 2 | 3 | 4 | 5>(
  count: Count,
  suite = 1,
): Promise<[MlsClient, MlsClient, MlsClient, MlsClient, MlsClient]> {
  const users = await newAcquaintances(count);
  const clients = await Promise.all(users.map((user) => newMlsClient(user, { suite, packages: 3 })));
  return clients as [MlsClient, MlsClient, MlsClient, MlsClient, MlsClient];
}

/** A conversation with an MLS group. */
export interface MlsGroup {
  readonly id: string;
  readonly groupId: string;
}

/** Create a conversation with MLS, and its group on one device, which has not committed to it yet. */
export async function newMlsGroup(
  creator: MlsClient,
  fields: Record<string, unknown> = {},
): Promise<MlsGroup> {
  const { body } = await createConversation(creator.user, { protocol: "mls", ...fields });
  await creator.create(body.group_id);
  return { id: body.id, groupId: body.group_id };
}

/** Create a group of devices, whose users the first has added by one commit. */
export async function newMlsGroupOf(first: MlsClient, ...others: MlsClient[]): Promise<MlsGroup> {
  const group = await newMlsGroup(first);
  await first.add(...new Set(others.map(({ user }) => user)));
  await Promise.all(others.map((other) => followTo(other, 1)));
  return group;
}

/** Handle events until the device is in an epoch. */
export const followTo = (client: MlsClient, epoch: number): Promise<void> =>
  eventually(async () => {
    await client.catchUp();
    expect(client.epoch).toBe(epoch);
  });

/** Handle events until the device has read some texts. */
export const readUntil = (client: MlsClient, texts: readonly string[]): Promise<void> =>
  eventually(async () => {
    await client.catchUp();
    expect(client.texts).toEqual(texts);
  });

/** Handle events until the device knows of some proposals. */
export const proposalsReach = (client: MlsClient, count: number): Promise<void> =>
  eventually(async () => {
    await client.catchUp();
    expect(Object.keys(client.state.unappliedProposals)).toHaveLength(count);
  });
