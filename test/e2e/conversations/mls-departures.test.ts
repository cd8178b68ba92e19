import { describe, expect, it } from "vitest";
import type { AwsCall } from "#lib/local/aws-calls.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { outcome } from "../../support/api.ts";
import { connectUsers, localDomain, updateConnection } from "../../support/connections.ts";
import { conversationData, createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { addition, type MlsClient, newMlsClient } from "../../support/mls.ts";
import { ownStack } from "../../support/own-stack.ts";
import { overtake } from "../../support/races.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { subconversationsOf } from "../../support/subconversations.ts";
import { newUser, type User } from "../../support/users.ts";

const stack = await ownStack();
const { publicApi } = stack;
const { store, write } = conversationData(stack);
const dynamo = createDynamo();
const config = stackConfig(stack.prefix);
const groups = new GroupStore({ dynamo, config, clock: systemClock });
const calls = subconversationsOf(stack);
const outbox = new Outbox({ config, clock: stack.clock, log: createLog("test", "CRITICAL") });

const newDevice = (user: User) => newMlsClient(user, { packages: 3, publicApi, prefix: stack.prefix });

/** Devices of users of whom the first is connected to the others, in one group. */
async function newGroup() {
  const users = await Promise.all([newUser({}, stack), newUser({}, stack), newUser({}, stack)]);
  const [ada, bob, cleo] = (await Promise.all(users.map(newDevice))) as [MlsClient, MlsClient, MlsClient];
  await Promise.all([bob, cleo].map(({ user }) => connectUsers(ada.user, user, stack)));
  const { body } = await createConversation(ada.user, { protocol: "mls" }, stack);
  await ada.create(body.group_id);
  await ada.add(bob.user);
  await eventually(async () => {
    await bob.catchUp();
    expect(bob.epoch).toBe(1);
  });
  return { ada, bob, cleo, id: body.id as string, groupId: body.group_id as string };
}

/** Commits of changes that mention some texts. */
const commits = (...mentions: string[]) => ({ action: "TransactWriteItems", mentions });

/** Run a task while the transaction of the commit that ends epoch 1 of a group waits for it. */
const whileCommitWaits = async <Result>(
  groupId: string,
  commit: () => Promise<Result>,
  task: () => Promise<unknown>,
) => (await overtake(commits(groupId, '"epoch":{"N":"2"}'), commit, task))[0];

/** Wait until the service has handled everything immediate that concerns a user or device. */
const untilHandled = (id: string) =>
  eventually(async () => {
    const { outbox = [] } = await itemsMentioning(id, stack.prefix, ["outbox"]);
    expect(outbox.filter(({ payload }) => !String(payload).includes("isSecondLook"))).toEqual([]);
  });

const deleteDevice = async ({ user, clientId }: MlsClient) => {
  const request = { token: user.token, json: { password: user.password } };
  expect((await publicApi("DELETE", `/v9/clients/${clientId}`, request)).status).toBe(200);
  await untilHandled(clientId);
};

async function deleteAccount({ user: { id, password, token } }: MlsClient) {
  expect((await publicApi("DELETE", "/v9/self", { token, json: { password } })).status).toBe(200);
  await untilHandled(id);
}

/** Ids of the devices that get the messages of a group, and of those about to be removed. */
async function devicesIn(groupId: string) {
  const leaves = [...((await groups.get(groupId))?.leaves.values() ?? [])];
  const ids = (isLeaving: boolean) =>
    leaves.filter((leaf) => (leaf.isLeaving ?? false) === isLeaving).map(({ clientId }) => clientId);
  return { present: ids(false), leaving: ids(true) };
}

async function passAMinute() {
  stack.advance(62);
  await stack.invoke("outbox-sweeper", {});
}

async function keyPackageOf(claimant: MlsClient, { user, device }: MlsClient) {
  const claimed = await claimant.claim(user);
  return claimed.flatMap((one) => {
    const { credential } = one.leafNode;
    const isOf =
      credential.credentialType === "basic" &&
      Buffer.from(credential.identity).equals(Buffer.from(device.identity));
    return isOf ? [addition(one)] : [];
  });
}

describe("a minute later, the service proposes to remove", () => {
  it("a device that was deleted while a commit added it", async () => {
    const { ada, bob, groupId } = await newGroup();
    const tablet = await newDevice(bob.user);
    const commit = await ada.prepare(...(await keyPackageOf(ada, tablet)));
    const answer = await whileCommitWaits(
      groupId,
      () => ada.send(commit),
      () => deleteDevice(tablet),
    );
    expect(outcome(answer)).toBe("201");
    await passAMinute();
    await eventually(async () =>
      expect(await devicesIn(groupId)).toEqual({
        present: [ada.clientId, bob.clientId],
        leaving: [tablet.clientId],
      }),
    );
  });

  it("a device that was deleted while it joined by itself", async () => {
    const { ada, bob, id, groupId } = await newGroup();
    const tablet = await newDevice(bob.user);
    tablet.groupInfo = async () => ({ status: 200, bytes: await ada.groupInfoOf(ada.state) });
    const commit = await tablet.prepareJoin(id);
    const answer = await whileCommitWaits(
      groupId,
      () => tablet.send(commit),
      () => deleteDevice(tablet),
    );
    expect(outcome(answer)).toBe("201");
    await passAMinute();
    await eventually(async () => expect((await devicesIn(groupId)).leaving).toEqual([tablet.clientId]));
  });

  it("the devices of a user whose account was deleted while a commit added them", async () => {
    const { ada, cleo, id, groupId } = await newGroup();
    const commit = await ada.prepare(...(await ada.additionsOf(cleo.user)));
    const answer = await whileCommitWaits(
      groupId,
      () => ada.send(commit),
      () => deleteAccount(cleo),
    );
    expect(outcome(answer)).toBe("201");
    await passAMinute();
    await eventually(async () => expect((await devicesIn(groupId)).leaving).toEqual([cleo.clientId]));
    expect((await store.getPopulated(id))?.members).toHaveLength(2);
  });
});

describe("a commit", () => {
  it("adds no device of a user who leaves a mixed conversation meanwhile", async () => {
    const { ada, bob, cleo, id, groupId } = await newGroup();
    const conversation = await store.get(id);
    if (conversation === undefined) throw new Error("No conversation");
    const joining = [{ conversationId: id, userId: cleo.user.id, role: "member" as const }];
    await write(store.change(conversation, { fields: { protocol: "mixed" }, joining }).writes);
    const commit = await ada.prepare(...(await keyPackageOf(ada, cleo)));
    const answer = await whileCommitWaits(
      groupId,
      () => ada.send(commit),
      () => leave(cleo, id),
    );
    expect(outcome(answer)).toBe("409 mls-client-mismatch");
    expect(await devicesIn(groupId)).toEqual({ present: [ada.clientId, bob.clientId], leaving: [] });
  });

  it("begins no call for a device that is deleted meanwhile", async () => {
    const { ada, bob, id } = await newGroup();
    const tablet = await newDevice(bob.user);
    expect(outcome(await tablet.send(await tablet.prepareJoin(id)))).toBe("201");
    const inCall = tablet.within("conference");
    await inCall.create((await calls.read(ada, { id })).body.group_id);
    const [answer] = await overtake(
      commits(`subconversations#${id}`, '"epoch":{"N":"1"}'),
      () => inCall.commit(),
      () => deleteDevice(tablet),
    );
    expect(outcome(answer)).toBe("403 mls-identity-mismatch");
    expect((await calls.read(ada, { id })).body.epoch).toBe(0);
  });
});

describe("users who become members only after a large commit has added them", () => {
  it("lose the devices that they have deleted meanwhile, and are left out if their account is deleted", async () => {
    const { ada, bob, cleo, id, groupId } = await newGroup();
    const tablet = await newDevice(bob.user);
    await ada.mustCommit(...(await keyPackageOf(ada, tablet)), ...(await ada.additionsOf(cleo.user)));
    const conversation = await store.get(id);
    if (conversation === undefined) throw new Error("No conversation");
    const userIds = [bob, cleo].map(({ user }) => user.id);
    const leaving = userIds.map((userId) => ({ conversationId: id, userId }));
    await write(store.change(conversation, { leaving }).writes);
    await Promise.all([deleteDevice(tablet), deleteAccount(cleo)]);
    const job = {
      conversationId: id,
      groupId,
      actor: { userId: ada.user.id },
      joining: userIds,
      leaving: [],
    };
    const messages = [orderConversationJob(outbox, { job: "follow-commit", ...job })];
    await change({ dynamo }, async () => ({ messages }));
    await eventually(async () =>
      expect(await devicesIn(groupId)).toEqual({
        present: [ada.clientId, bob.clientId],
        leaving: [tablet.clientId, cleo.clientId],
      }),
    );
    const members = (await store.getPopulated(id))?.members.map(({ userId }) => userId);
    expect(new Set(members)).toEqual(new Set([ada.user.id, bob.user.id]));
  });
});

async function leave({ user }: MlsClient, id: string) {
  const path = `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${user.id}`;
  expect(outcome(await publicApi("DELETE", path, { token: user.token }))).toBe("200");
  await untilHandled(user.id);
}

describe("a commit", () => {
  it("does not bring back a member who is leaving", async () => {
    const { ada, bob, id, groupId } = await newGroup();
    const tablet = await newDevice(bob.user);
    const commit = await ada.prepare(...(await keyPackageOf(ada, tablet)));
    const answer = await whileCommitWaits(
      groupId,
      () => ada.send(commit),
      async () => {
        const path = `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${bob.user.id}`;
        expect(outcome(await publicApi("DELETE", path, { token: bob.user.token }))).toBe("200");
      },
    );
    expect(["409 mls-stale-message", "400 mls-commit-missing-references"]).toContain(outcome(answer));
    await eventually(async () => expect((await devicesIn(groupId)).leaving).toEqual([bob.clientId]));
    expect((await store.getPopulated(id))?.members).toHaveLength(1);
  });
});

describe("a block at the same time as the first commit of two users", () => {
  async function newPair() {
    const users = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const [ada, bob] = (await Promise.all(users.map(newDevice))) as [MlsClient, MlsClient];
    await connectUsers(ada.user, bob.user, stack);
    const path = `/v9/one2one-conversations/${localDomain}/${bob.user.id}`;
    const { body } = await publicApi("GET", path, { token: ada.user.token });
    const { id, group_id: groupId } = body.conversation;
    await ada.create(groupId);
    const commit = await ada.prepare(...(await ada.additionsOf(bob.user)));
    return {
      id: id as string,
      groupId: groupId as string,
      bob,
      ada,
      send: () => ada.send(commit),
      block: () => updateConnection(bob.user, ada.user, "blocked", stack),
    };
  }

  it("prevents the conversation when it comes first", async () => {
    const { id, groupId, send, block } = await newPair();
    const [sent] = await overtake(commits(groupId, '"epoch":{"N":"1"}'), send, async () =>
      expect(outcome(await block())).toBe("200"),
    );
    expect(outcome(sent)).toBe("404 no-conversation");
    expect(await store.get(id)).toBeUndefined();
  });

  it("prevents the conversation when it comes between two reads", async () => {
    const { bob, id, send, block } = await newPair();
    let reads = 0;
    const isSecondRead = ({ action, body }: AwsCall) =>
      action === "BatchGetItem" &&
      body.includes("-connections") &&
      body.includes(bob.user.id) &&
      ++reads === 2;
    const [sent] = await overtake(isSecondRead, send, async () => expect(outcome(await block())).toBe("200"));
    expect(outcome(sent)).toBe("404 no-conversation");
    expect(await store.get(id)).toBeUndefined();
  });

  it("removes its user when it comes second", async () => {
    const { id, ada, bob, send, block } = await newPair();
    const [blocked] = await overtake(commits('"blocked"', bob.user.id), block, async () =>
      expect(outcome(await send())).toBe("201"),
    );
    expect(outcome(blocked)).toBe("200");
    const members = (await store.getPopulated(id))?.members.map(({ userId }) => userId);
    expect(members).toEqual([ada.user.id]);
  });
});
