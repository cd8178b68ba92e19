import { beforeAll, describe, expect, it } from "vitest";
import { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, injectFaults, whileCallWaits } from "../../support/faults.ts";
import { type MlsClient, newMlsClient } from "../../support/mls.ts";
import { followTo, proposalsReach } from "../../support/mls-groups.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { subconversationsOf } from "../../support/subconversations.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

let stack: OwnStack;
let calls: ReturnType<typeof subconversationsOf>;
beforeAll(async () => {
  stack = await stackWith({ outboxResendSeconds: 1 });
  calls = subconversationsOf(stack);
});

const newDevice = (user: User) =>
  newMlsClient(user, { packages: 3, publicApi: stack.publicApi, prefix: stack.prefix });

/** Devices of three users in one group. */
async function newGroup() {
  const users = await Promise.all([newUser({}, stack), newUser({}, stack), newUser({}, stack)]);
  const [ada, bob, cleo] = (await Promise.all(users.map(newDevice))) as [MlsClient, MlsClient, MlsClient];
  await Promise.all([bob, cleo].map(({ user }) => connectUsers(ada.user, user, stack)));
  const { body } = await createConversation(ada.user, { protocol: "mls" }, stack);
  await ada.create(body.group_id);
  await ada.add(bob.user, cleo.user);
  await Promise.all([bob, cleo].map((client) => followTo(client, 1)));
  return { ada, bob, cleo, group: { id: body.id as string } };
}

const leaveConversation = ({ user }: MlsClient, { id }: { id: string }) => {
  const path = `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${user.id}`;
  return stack.publicApi("DELETE", path, { token: user.token });
};

/** Let the first transaction that stores a subconversation of a conversation wait for a task. */
function whileCommitWaits<Result>(
  { id }: { id: string },
  commit: () => Promise<Result>,
  task: () => Promise<unknown>,
): Promise<Result> {
  const isCommit = ({ action, body }: AwsCall) =>
    action === "TransactWriteItems" && body.includes(`subconversations#${id}`);
  return whileCallWaits(isCommit, commit, task);
}

describe("a subconversation", () => {
  it("gets all proposals to remove a user, even if a worker dies half-way", async () => {
    const { ada, bob, cleo, group } = await newGroup();
    const names = ["one", "two"];
    const started = await Promise.all(names.map((name) => calls.start(ada, group, name)));
    for (const [index, name] of names.entries()) {
      await calls.join(bob, group, name);
      await calls.join(cleo, group, name);
      await followTo(started[index] as MlsClient, 3);
    }
    let steps = 0;
    const end = injectFaults(({ action, body }) => {
      if (action !== "TransactWriteItems" || !body.includes("proposal#3#")) return undefined;
      return ++steps === 1 ? "dies-before" : steps === 2 ? "dies-after" : undefined;
    });
    expect(outcome(await leaveConversation(cleo, group))).toBe("200");
    await Promise.all(started.map((client) => proposalsReach(client, 1)));
    end();
    expect(steps).toBeGreaterThan(2);
    for (const client of started) await client.mustCommit();
  });

  it("cannot be joined by a user who leaves the conversation at that moment", async () => {
    const { ada, bob, group } = await newGroup();
    await calls.start(ada, group);
    const inCall = bob.within("conference");
    const commit = await inCall.prepareJoin(group.id);
    const answer = await whileCommitWaits(
      group,
      () => inCall.send(commit),
      () => leaveConversation(bob, group),
    );
    expect(outcome(answer)).toBe("404 no-conversation");
    expect((await calls.read(ada, group)).body).toMatchObject({ epoch: 1, members: [{}] });
  });

  it("cannot be joined by a device that is deleted at that moment", async () => {
    const { ada, bob, group } = await newGroup();
    await calls.start(ada, group);
    const inCall = bob.within("conference");
    const commit = await inCall.prepareJoin(group.id);
    const answer = await whileCommitWaits(
      group,
      () => inCall.send(commit),
      async () => {
        const request = { token: bob.user.token, json: { password: bob.user.password } };
        const path = `/v9/clients/${bob.clientId}`;
        expect(outcome(await stack.publicApi("DELETE", path, request))).toBe("200");
        await proposalsReach(ada, 1);
      },
    );
    expect(answer.status).toBe(403);
    expect((await calls.read(ada, group)).body).toMatchObject({ epoch: 1, members: [{}] });
  });

  it("cannot be begun while its conversation is being deleted", async () => {
    const team = await newTeam({}, stack);
    const owner = await newDevice(team.owner);
    const { body } = await createConversation(team.owner, { in: team, protocol: "mls" }, stack);
    await owner.create(body.group_id);
    await owner.mustCommit();
    const inCall = owner.within("conference");
    await inCall.create((await calls.read(owner, body)).body.group_id);
    const commit = await inCall.prepare();
    const path = `/v9/teams/${team.id}/conversations/${body.id}`;
    const answer = await whileCommitWaits(
      body,
      () => inCall.send(commit),
      () => stack.publicApi("DELETE", path, { token: team.owner.token }),
    );
    expect(outcome(answer)).toBe("404 no-conversation");
    const store = new SubconversationStore({
      dynamo: createDynamo(),
      config: stackConfig(stack.prefix),
      clock: systemClock,
    });
    const key = { conversationId: body.id, subconversationId: "conference" };
    await eventually(async () => expect(await store.get(key)).toBeUndefined());
  });
});
