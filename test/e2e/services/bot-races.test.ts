import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { addBot, botData, newRunningService, type RunningService, removeBot } from "../../support/bots.ts";
import { localDomain } from "../../support/connections.ts";
import { emulateContention } from "../../support/contention.ts";
import { conversationData } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { stackWith } from "../../support/stack-with.ts";
import { lastPrekey, newPrekeys } from "../../support/prekeys.ts";
import { type Provider, putConnection, putOnList, serviceData } from "../../support/services.ts";
import { newTeam } from "../../support/teams.ts";
import { testSettings } from "../../support/test-settings.ts";
import { newUser, type User } from "../../support/users.ts";

/** Concurrent changes of bots, their services and their conversations. */

const stack = await stackWith({
  maxConvSize: 4,
  services: { ...testSettings.services, maxBotsPerConversation: 2 },
});
const { newConversation, store } = conversationData(stack);
const { botsOf, remainsOf } = botData(stack);
const running: RunningService[] = [];
let provider: Provider;
beforeAll(async () => {
  provider = await serviceData(stack).newProvider();
});
afterAll(() => {
  for (const { server } of running) server.stop();
});

async function newService() {
  const service = await newRunningService(provider, {}, stack);
  running.push(service);
  return service;
}

/** Let something happen while a service is creating a bot. */
const meanwhile = ({ server }: RunningService, happening: () => Promise<unknown>) =>
  server.answer("/bots", async () => {
    await happening();
    return { status: 201, body: { prekeys: newPrekeys(2), last_prekey: lastPrekey() } };
  });

const membersOf = async ({ id }: { id: string }) => (await store.getPopulated(id))?.members ?? [];
const botsIn = async (group: { id: string }) =>
  (await membersOf(group)).filter(({ service }) => service !== undefined).map(({ userId }) => userId);
const eventsOf = async ({ token }: User, type: RegExp) => storedEvents(token, type, stack.publicApi);

async function collide<Result>(requests: () => Promise<Result>): Promise<Result> {
  const endContention = emulateContention(stack.prefix);
  return requests().finally(endContention);
}

/** Nothing of a bot is stored, though its service has created it. */
async function expectNothing(service: RunningService, group: { id: string }) {
  expect(await botsIn(group)).toEqual([]);
  expect(await botsOf(service)).toEqual([]);
  const { id, client } = service.server.calls.at(-1)?.body ?? {};
  expect(await remainsOf({ id, client })).toEqual({ status: undefined, devices: [], prekeys: [] });
}

describe("a bot that is being added", () => {
  it("is not added when its service is switched off meanwhile", async () => {
    const [ada, service] = await Promise.all([newUser({}, stack), newService()]);
    const group = await newConversation([ada]);
    meanwhile(service, () => putConnection(provider, service, { enabled: false }, stack));
    expect(outcome(await addBot(ada, group, service, stack))).toBe("403 service-disabled");
    await expectNothing(service, group);
  });

  it("is not added when its service is deleted meanwhile", async () => {
    const [ada, service] = await Promise.all([newUser({}, stack), newService()]);
    const group = await newConversation([ada]);
    const { token, password } = provider;
    meanwhile(service, () =>
      stack.publicApi("DELETE", `/provider/services/${service.id}`, { token, json: { password } }),
    );
    expect(outcome(await addBot(ada, group, service, stack))).toBe("404 not-found");
    await expectNothing(service, group);
  });

  it("is not added when the team takes its service off its list meanwhile", async () => {
    const [team, service] = await Promise.all([newTeam({}, stack), newService()]);
    const list = (isListed: boolean) => putOnList(team, team.owner, service, isListed, stack);
    await list(true);
    const group = await newConversation([team.owner], { team });
    meanwhile(service, () => list(false));
    expect(outcome(await addBot(team.owner, group, service, stack))).toBe("403 service-not-whitelisted");
    await expectNothing(service, group);
  });

  it("is not added when the user who adds it is no longer an admin, or the conversation admits no services", async () => {
    const [ada, bob, service] = await Promise.all([newUser({}, stack), newUser({}, stack), newService()]);
    const [group, closing] = await Promise.all([newConversation([ada, bob]), newConversation([ada, bob])]);
    const put = (path: string, json: object) =>
      stack.publicApi("PUT", `/v9/conversations/${localDomain}/${path}`, { token: bob.token, json });
    meanwhile(service, () =>
      put(`${group.id}/members/${localDomain}/${ada.id}`, { conversation_role: "svc_member" }),
    );
    expect(outcome(await addBot(ada, group, service, stack))).toBe("403 access-denied");
    await expectNothing(service, group);
    meanwhile(service, () =>
      put(`${closing.id}/access`, { access: ["invite"], access_role: ["team_member", "non_team_member"] }),
    );
    expect(outcome(await addBot(ada, closing, service, stack))).toBe("403 invalid-conversation");
    await expectNothing(service, closing);
  });

  it("is added once, to the conversation in its latest state, when others change it meanwhile", async () => {
    const [ada, bob, service] = await Promise.all([newUser({}, stack), newUser({}, stack), newService()]);
    const group = await newConversation([ada, bob]);
    const json = { name: "Engines" };
    const path = `/conversations/${localDomain}/${group.id}/name`;
    meanwhile(service, () => stack.publicApi("PUT", path, { token: bob.token, json }));
    const added = await addBot(ada, group, service, stack);
    expect(outcome(added)).toBe("201");
    expect(service.server.calls).toHaveLength(1);
    expect(await botsIn(group)).toEqual([added.body.id]);
    await eventually(async () => expect(await eventsOf(bob, /member-join/)).toEqual([added.body.event]));
  });

  it("gets the last place of a conversation only if it is free", async () => {
    const [ada, bob, eve, service] = await Promise.all([
      newUser({}, stack),
      newUser({}, stack),
      newUser({}, stack),
      newService(),
    ]);
    const group = await newConversation([ada, bob, eve]);
    const adding = () => Promise.all([ada, bob, eve].map((user) => addBot(user, group, service, stack)));
    const outcomes = (await collide(adding)).map(outcome).sort();
    expect(outcomes).toEqual(["201", "403 too-many-members", "403 too-many-members"]);
    expect(await botsIn(group)).toHaveLength(1);
    expect(await botsOf(service)).toEqual(await botsIn(group));
    expect(outcome(await addBot(ada, group, service, stack))).toBe("403 too-many-members");
  });

  it("is one of two when two admins add bots of one service concurrently", async () => {
    const [ada, bob, service] = await Promise.all([newUser({}, stack), newUser({}, stack), newService()]);
    const group = await newConversation([ada, bob]);
    const adding = () => Promise.all([ada, bob].map((user) => addBot(user, group, service, stack)));
    const added = await collide(adding);
    expect(added.map(outcome)).toEqual(["201", "201"]);
    expect((await botsOf(service)).sort()).toEqual(added.map(({ body }) => body.id).sort());
    expect(await botsIn(group)).toEqual((await botsOf(service)).sort());
  });

  it("gets the last place for bots only if it is free", async () => {
    const [ada, service] = await Promise.all([newUser({}, stack), newService()]);
    const group = await newConversation([ada]);
    const adding = () => Promise.all([1, 2, 3].map(() => addBot(ada, group, service, stack)));
    const added = await collide(adding);
    expect(added.map(outcome).sort()).toEqual(["201", "201", "409 too-many-bots"]);
    expect((await botsOf(service)).sort()).toEqual(await botsIn(group));
    const askedForBots = () => service.server.callsOf("/bots").length;
    const before = askedForBots();
    expect(outcome(await addBot(ada, group, service, stack))).toBe("409 too-many-bots");
    expect(askedForBots()).toBe(before);
  });
});

describe("a bot that is being removed", () => {
  it("leaves once, with one event, however many admins remove it", async () => {
    const [ada, bob, service] = await Promise.all([newUser({}, stack), newUser({}, stack), newService()]);
    const group = await newConversation([ada, bob]);
    const { body } = await addBot(ada, group, service, stack);
    const token = service.server.bots[0]?.token ?? "";
    const removed = await collide(() =>
      Promise.all([
        removeBot(ada, group, body.id, stack),
        removeBot(bob, group, body.id, stack),
        stack.publicApi("DELETE", "/bot/self", { token }),
      ]),
    );
    const outcomes = removed.map(outcome);
    expect(outcomes.filter((one) => one === "200")).toHaveLength(1);
    expect(outcomes.every((one) => ["200", "204", "403 invalid-bot"].includes(one))).toBe(true);
    await eventually(async () => expect(await eventsOf(bob, /member-leave/)).toHaveLength(1));
    expect(await botsOf(service)).toEqual([]);
  });

  it("gets no prekeys that would outlive it", async () => {
    const [ada, service] = await Promise.all([newUser({}, stack), newService()]);
    const group = await newConversation([ada]);
    const { body } = await addBot(ada, group, service, stack);
    const token = service.server.bots[0]?.token ?? "";
    const upload = () =>
      stack.publicApi("POST", "/bot/client/prekeys", { token, json: { prekeys: newPrekeys(5, 20) } });
    await Promise.all([removeBot(ada, group, body.id, stack), upload(), upload()]);
    await eventually(async () =>
      expect(await remainsOf(body)).toEqual({ status: "deleted", devices: [], prekeys: [] }),
    );
  });
});
