import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData, createConversation } from "../../support/conversations.ts";
import { addCrowd } from "../../support/crowds.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { dieDuring } from "../../support/kills/kills.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { signedToken } from "../../support/tokens.ts";
import { newUser } from "../../support/users.ts";

/** A group with more members than one transaction stores. */

let stack: OwnStack;
let team: Team;
let crowd: { id: string }[];

beforeAll(async () => {
  stack = await ownStack({ outboxResendSeconds: 60 });
  team = await newTeam({}, stack);
  crowd = (await addCrowd(team, { size: 500 }, stack.prefix)).map((id) => ({ id }));
});

const create = (users: readonly { id: string }[], fields: object = {}, apis = stack) =>
  createConversation(team.owner, { with: users, ...fields }, apis);

/** Transactions that create a conversation. */
const createsConversation = { action: "TransactWriteItems", mentions: '"memberCount"' };

/** Ids of the conversations of which anything is stored. */
async function storedIds(): Promise<Set<unknown>> {
  const items = await itemsMentioning("conversation#", stack.prefix);
  return new Set(items.conversations?.map(({ conversationId }) => conversationId));
}

/** Wait until no job to remove members is left. */
const untilNoOrderIsLeft = () =>
  eventually(async () => {
    expect(await itemsMentioning("undo-creation", stack.prefix)).toEqual({});
  });

/** Let a minute pass, after which jobs run that have not been revoked. */
async function untilAllIsHandled(): Promise<void> {
  stack.advance(61);
  await stack.invoke("outbox-sweeper", {});
  await untilNoOrderIsLeft();
}

describe("a group of 500", () => {
  it("is created with all its members, and tells each of them", async () => {
    const { status, body } = await create(crowd.slice(0, 499), { in: team, name: "All hands" });
    expect({ status, others: body.members.others.length }).toEqual({ status: 201, others: 499 });
    const { store } = conversationData(stack);
    const stored = await store.getPopulated(body.id);
    expect(stored?.conversation.memberCount).toBe(500);
    expect(stored?.members).toHaveLength(500);
    expect(await itemsMentioning("undo-creation", stack.prefix)).toEqual({});

    for (const { id } of [crowd[0], crowd[250], crowd[498]] as { id: string }[]) {
      expect(
        (await store.listOfUser(id, { limit: 9 })).map(({ conversationId }) => conversationId),
      ).toContain(body.id);
      const token = await signedToken(
        { userId: id, connectionId: "1", expiresAtSeconds: Math.floor(Date.now() / 1000) + 600 },
        stack,
      );
      await eventually(async () => {
        const events = await storedEvents(token, "conversation.create", stack.publicApi);
        const event = events.find(({ conversation }) => conversation === body.id);
        expect(event?.data).toMatchObject({ members: { self: { id }, others: { length: 499 } } });
      });
    }
  });

  it("is created outside a team in the same way", async () => {
    const { status, body } = await create(crowd.slice(0, 60));
    expect({ status, team: body.team, others: body.members.others.length }).toEqual({
      status: 201,
      team: null,
      others: 60,
    });
  });

  it("leaves nothing behind when it is refused", async () => {
    const before = await storedIds();
    const stranger = await newUser({}, stack);
    const partner = await team.add("partner");
    const refusals = await Promise.all([
      create([...crowd.slice(0, 60), stranger]),
      create([...crowd.slice(0, 60), stranger], { in: team }),
      createConversation(partner, { with: crowd.slice(0, 60) }, stack),
      createConversation(stranger, { with: crowd.slice(0, 60), in: team }, stack),
    ]);
    expect(refusals.map(({ body }) => body.label)).toEqual([
      "not-connected",
      "not-connected",
      "operation-denied",
      "no-team-member",
    ]);
    await untilAllIsHandled();
    expect(await storedIds()).toEqual(before);
  });

  it("leaves nothing behind of an attempt that concurrent changes have defeated", async () => {
    const before = await storedIds();
    let conflicts = 0;
    onTestFinished(
      injectFaults(({ action, body }) => {
        const isPrevented =
          action === createsConversation.action && body.includes(createsConversation.mentions);
        return isPrevented && ++conflicts <= 5 ? "conflicts" : undefined;
      }),
    );
    const { status, body } = await create(crowd.slice(0, 60), { in: team });
    expect({ status, conflicts }).toEqual({ status: 201, conflicts: 6 });
    await untilAllIsHandled();
    expect(await storedIds()).toEqual(new Set([...before, body.id]));
  });

  it("leaves nothing behind when the function dies before it creates the conversation", async () => {
    const before = await storedIds();
    await dieDuring(stack, createsConversation, (apis) =>
      create(crowd.slice(0, 60), { in: team }, { ...stack, ...apis }),
    );
    expect((await storedIds()).size).toBe(before.size + 1);
    await untilAllIsHandled();
    expect(await storedIds()).toEqual(before);
    const lists = await Promise.all(
      crowd.slice(0, 60).map(({ id }) => conversationData(stack).store.listOfUser(id, { limit: 100 })),
    );
    for (const { conversationId } of lists.flat()) expect(before).toContain(conversationId);
  });

  it("keeps its members when the job to remove them is stored again after it was cancelled", async () => {
    const { body } = await create(crowd.slice(0, 60), { in: team });
    const { clock, prefix } = stack;
    const outbox = new Outbox({ clock, config: stackConfig(prefix), log: createLog("test", "CRITICAL") });
    const userIds = crowd.slice(0, 60).map(({ id }) => id);
    const order = orderConversationJob(outbox, { job: "undo-creation", conversationId: body.id, userIds });
    await change({ dynamo: createDynamo() }, async () => ({ messages: [order] }));
    await untilNoOrderIsLeft();
    expect((await conversationData(stack).store.getPopulated(body.id))?.members).toHaveLength(61);
  });
});

describe("the size of a group", () => {
  it("is limited by a setting", async () => {
    const small = await ownStack({ maxConvSize: 3 });
    const [ada, ...others] = await Promise.all(Array.from({ length: 4 }, () => newUser({}, small)));
    if (ada === undefined) throw new Error("There is no user");
    for (const other of others) await connectUsers(ada, other, small);
    const refused = { status: 400, body: { label: "client-error" } };
    expect(await createConversation(ada, { with: others }, small)).toMatchObject(refused);
    const { status, body } = await createConversation(ada, { with: others.slice(0, 2) }, small);
    expect(status).toBe(201);
    const added = await small.publicApi("POST", `/v9/conversations/${localDomain}/${body.id}/members`, {
      token: ada.token,
      json: { qualified_users: others.slice(2).map(({ id }) => ({ domain: localDomain, id })) },
    });
    expect(added).toMatchObject({ status: 403, body: { label: "too-many-members" } });
  });

  it("refuses too many users before it checks them", async () => {
    expect(await create(crowd)).toMatchObject({ status: 400, body: { label: "client-error" } });
  });
});
