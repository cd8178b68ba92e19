import { describe, expect, it } from "vitest";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { type MlsClient, newMlsClient, removal } from "../../support/mls.ts";
import {
  followTo,
  type MlsGroup,
  newMlsGroupOf,
  newPeople,
  proposalsReach,
  readUntil,
} from "../../support/mls-groups.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { subconversationsOf } from "../../support/subconversations.ts";

const dynamo = createDynamo();
const context = { dynamo, config: stackConfig("test"), clock: systemClock };
const conversations = new ConversationStore(context);
const groups = new GroupStore(context);
const { write } = conversationData();

const leave = async ({ user }: MlsClient, { id }: MlsGroup) => {
  const path = `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${user.id}`;
  expect(outcome(await api("DELETE", path, { token: user.token }))).toBe("200");
};

const deleteDevice = async ({ user, clientId }: MlsClient) => {
  const request = { token: user.token, json: { password: user.password } };
  expect((await api("DELETE", `/v9/clients/${clientId}`, request)).status).toBe(200);
};

describe.concurrent.each([0x0001, 0x0002, 0x0005, 0x0007, 0xf031])(
  "in a group of cipher suite %i, the service",
  (suite) => {
    it("proposes to remove the devices of a member who leaves, and any member can commit that", async () => {
      const [ada, bob, cleo] = await newPeople(3, suite);
      const phone = await newMlsClient(cleo.user, { suite });
      const group = await newMlsGroupOf(ada, bob, cleo, phone);
      const early = await bob.prepare();
      await leave(cleo, group);
      await Promise.all([ada, bob].map((client) => proposalsReach(client, 2)));
      expect(outcome(await bob.send(early))).toBe("400 mls-commit-missing-references");
      expect((await bob.mustCommit()).body.events).toEqual([]);
      await followTo(ada, 2);
      expect(ada.state.ratchetTree.filter((node) => node?.nodeType === "leaf")).toHaveLength(2);
      await ada.write("between us");
      await readUntil(bob, ["between us"]);
      const events = (await cleo.notifications()).flatMap(({ payload }) => payload);
      expect(events.filter(({ type }) => type === "conversation.mls-message-add")).toEqual([]);
    });
  },
);

/** A group of three devices, all of which are in its call. */
async function newCall() {
  const [ada, bob, cleo] = await newPeople(3);
  const group = await newMlsGroupOf(ada, bob, cleo);
  const calls = subconversationsOf();
  const inCall = await calls.start(ada, group);
  await calls.join(bob, group);
  await followTo(inCall, 2);
  await calls.join(cleo, group);
  await followTo(inCall, 3);
  return { ada, bob, cleo, group, inCall };
}

/** Send a text to a group. @returns a function that tells whether a device has got it */
async function send(sender: MlsClient) {
  const bytes = await sender.encrypt("between us");
  expect(outcome(await sender.post("/v9/mls/messages", bytes))).toBe("201");
  return async (client: MlsClient) => {
    const events = (await client.notifications()).flatMap(({ payload }) => payload);
    return events.some(({ data }) => data === bytes.toString("base64"));
  };
}

describe.concurrent("messages to a group and its call", () => {
  it("do not reach those who have just left", async () => {
    const { ada, bob, cleo, group, inCall } = await newCall();
    await leave(cleo, group);
    const texts = await Promise.all([send(ada), send(inCall)]);
    for (const isTold of texts) {
      await eventually(async () => expect(await isTold(bob)).toBe(true));
      expect(await isTold(cleo)).toBe(false);
    }
    await eventually(async () => {
      const found = await conversations.get(group.id);
      expect(found).toMatchObject({ memberCount: 2 });
      expect(found?.departed).toBeUndefined();
    });
  });

  it("do not reach those whom a commit has just removed", async () => {
    const { ada, bob, cleo, inCall } = await newCall();
    const leafOfCleo = 2;
    expect(outcome(await ada.commit(removal(leafOfCleo)))).toBe("201");
    const isTold = await send(inCall);
    await eventually(async () => expect(await isTold(bob)).toBe(true));
    expect(await isTold(cleo)).toBe(false);
  });
});

describe.concurrent("proposals of the service", () => {
  it("remove a deleted device from all groups of its user", async () => {
    const [ada, bob] = await newPeople(2);
    const phone = await newMlsClient(bob.user, { packages: 5 });
    await newMlsGroupOf(ada, bob, phone);
    await deleteDevice(phone);
    await Promise.all([ada, bob].map((client) => proposalsReach(client, 1)));
    expect((await bob.mustCommit()).body.events).toEqual([]);
    await followTo(ada, 2);
    await ada.write("hello");
    await readUntil(bob, ["hello"]);
  });

  it("are repeated after an external commit, which need not contain them", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const group = await newMlsGroupOf(ada, bob, cleo);
    await leave(cleo, group);
    await proposalsReach(ada, 1);
    const tablet = await newMlsClient(bob.user, { packages: 0 });
    expect(outcome(await tablet.send(await tablet.prepareJoin(group.id)))).toBe("201");
    await followTo(ada, 2);
    await Promise.all([ada, tablet].map((client) => proposalsReach(client, 1)));
    await ada.mustCommit();
    await Promise.all([followTo(tablet, 3), followTo(bob, 3)]);
    expect(tablet.state.ratchetTree.filter((node) => node?.nodeType === "leaf")).toHaveLength(3);
  });

  it("are at most 100 in an epoch, however many devices wait for their removal", async () => {
    const [ada, bob] = await newPeople(2);
    const { id, groupId } = await newMlsGroupOf(ada, bob);
    const group = await groups.get(groupId);
    if (group === undefined) throw new Error("No group");
    const waiting = Array.from({ length: 130 }, (_, index) => {
      const clientId = (index + 1).toString(16);
      return [300 + index, { userId: bob.user.id, clientId, isLeaving: true }] as const;
    });
    const { parts, writes } = groups.proposeRemovals(group, new Map([...group.leaves, ...waiting]), []);
    await parts.store(dynamo);
    await write([...writes]);
    const tablet = await newMlsClient(bob.user, { packages: 0 });
    expect(outcome(await tablet.send(await tablet.prepareJoin(id)))).toBe("201");
    const proposed = async () => (await groups.pendingProposals(groupId, 2)).length;
    await eventually(async () => expect(await proposed()).toBe(100));
    const isProposal = ({ type }: { type: string }) => type === "conversation.mls-message-add";
    const events = (await ada.notifications()).flatMap(({ payload }) => payload).filter(isProposal);
    expect(events).toHaveLength(1 + 100);
    expect(await proposed()).toBe(100);
  });

  it("follow the deletion of an account", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const { id } = await newMlsGroupOf(ada, bob, cleo);
    const { password, token } = cleo.user;
    expect((await api("DELETE", "/v9/self", { token, json: { password } })).status).toBe(200);
    await Promise.all([ada, bob].map((client) => proposalsReach(client, 1)));
    await ada.mustCommit();
    await followTo(bob, 2);
    await eventually(async () => expect(await ada.eventsOf(id)).toContain("conversation.member-leave"));
  });

  it("are not repeated for users whom a commit has removed", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const { id } = await newMlsGroupOf(ada, bob, cleo);
    await ada.mustCommit(removal(cleo.leafIndex));
    await followTo(bob, 2);
    await bob.mustCommit();
    await followTo(ada, 3);
    expect((await bob.eventsOf(id)).filter((type) => type === "conversation.mls-message-add")).toHaveLength(
      1,
    );
  });
});
