import { beforeAll, describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { addBot, botData, newRunningService, type RunningService, removeBot } from "../../support/bots.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices, recipientsOf } from "../../support/otr-messages.ts";
import { lastPrekey, newPrekeys } from "../../support/prekeys.ts";
import { all, each, only, race } from "../../support/races.ts";
import { type Provider, putConnection, putOnList, serviceData } from "../../support/services.ts";
import { stackWith } from "../../support/stack-with.ts";
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
let provider: Provider;
beforeAll(async () => {
  provider = await serviceData(stack).newProvider();
});

async function newService() {
  const service = await newRunningService(provider, {}, stack);
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

/** Expects that nothing of a bot is stored, though its service has created it. */
async function expectNothing(service: RunningService, group: { id: string }) {
  expect(await botsIn(group)).toEqual([]);
  expect(await botsOf(service)).toEqual([]);
  const { id, client } = service.server.calls.at(-1)?.body ?? {};
  expect(await remainsOf({ id, client })).toEqual({ status: undefined, devices: [], prekeys: [] });
}

/** Users in a conversation, and a service. */
async function newScene(count = 2) {
  const [service, ...users] = await Promise.all([
    newService(),
    ...Array.from({ length: count }, () => newUser({}, stack)),
  ]);
  const [ada, bob] = users as [User, User];
  return { ada, bob, users, service, group: await newConversation(users) };
}
type Scene = Awaited<ReturnType<typeof newScene>>;

/** The same scene with a bot in the conversation. */
async function newSceneWithBot() {
  const scene = await newScene();
  const { body } = await addBot(scene.ada, scene.group, scene.service, stack);
  return { ...scene, bot: body, token: scene.service.server.bots[0]?.token ?? "" };
}

const put = ({ bob }: Scene, path: string, json: object) =>
  stack.publicApi("PUT", `/v9/conversations/${localDomain}/${path}`, { token: bob.token, json });

/** Events while a service is creating a bot, and the refusal of its addition that follows. */
const hindrances: Record<string, [happens: (scene: Scene) => Promise<unknown>, refusal: string]> = {
  "its service is switched off": [
    ({ service }) => putConnection(provider, service, { enabled: false }, stack),
    "403 service-disabled",
  ],
  "its service is deleted": [
    ({ service }) => {
      const { token, password } = provider;
      return stack.publicApi("DELETE", `/provider/services/${service.id}`, { token, json: { password } });
    },
    "404 not-found",
  ],
  "the user who adds it is no longer an admin": [
    (scene) => {
      const path = `${scene.group.id}/members/${localDomain}/${scene.ada.id}`;
      return put(scene, path, { conversation_role: "svc_member" });
    },
    "403 access-denied",
  ],
  "the conversation no longer admits services": [
    (scene) => {
      const access = { access: ["invite"], access_role: ["team_member", "non_team_member"] };
      return put(scene, `${scene.group.id}/access`, access);
    },
    "403 invalid-conversation",
  ],
};

describe("a bot that is being added", () => {
  it.for(Object.entries(hindrances))("is not added when %s meanwhile", async ([, [happens, refusal]]) => {
    const scene = await newScene();
    const { ada, service, group } = scene;
    meanwhile(service, () => happens(scene));
    expect(outcome(await addBot(ada, group, service, stack))).toBe(refusal);
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

  it("is added once, to the conversation in its latest state, when others change it meanwhile", async () => {
    const scene = await newScene();
    const { ada, bob, service, group } = scene;
    meanwhile(service, () => put(scene, `${group.id}/name`, { name: "Engines" }));
    const added = await addBot(ada, group, service, stack);
    expect(outcome(added)).toBe("201");
    expect(service.server.calls).toHaveLength(1);
    expect(await botsIn(group)).toEqual([added.body.id]);
    await eventually(async () => expect(await eventsOf(bob, /member-join/)).toEqual([added.body.event]));
  });

  const expectSame = async ({ service, group }: Scene, count: number) => {
    const bots = await botsIn(group);
    expect(bots).toHaveLength(count);
    expect((await botsOf(service)).toSorted()).toEqual(bots.toSorted());
  };

  race("gets the last place of a conversation only if it is free", {
    given: () => newScene(3),
    collides: true,
    act: ({ users, group, service }, index) => addBot(users[index] as User, group, service, stack),
    outcomes: only("201", "403 too-many-members"),
    holds: (scene) => expectSame(scene, 1),
  });

  race("is one of two when two admins add bots of one service concurrently", {
    given: newScene,
    collides: true,
    exactly: 2,
    act: ({ users, group, service }, index) => addBot(users[index] as User, group, service, stack),
    outcomes: all("201"),
    holds: (scene) => expectSame(scene, 2),
  });

  race("gets the last place for bots only if it is free", {
    given: () => newScene(1),
    collides: true,
    act: ({ ada, group, service }) => addBot(ada, group, service, stack),
    outcomes: only("201", "409 too-many-bots", 2),
    holds: async (scene) => {
      const { ada, group, service } = scene;
      await expectSame(scene, 2);
      const before = service.server.callsOf("/bots").length;
      expect(outcome(await addBot(ada, group, service, stack))).toBe("409 too-many-bots");
      expect(service.server.callsOf("/bots")).toHaveLength(before);
    },
  });
});

describe("a bot that is being removed", () => {
  race("leaves once, with one event, however many admins remove it", {
    given: newSceneWithBot,
    collides: true,
    against: ({ token }) => stack.publicApi("DELETE", "/bot/self", { token }),
    exactly: 2,
    act: ({ users, group, bot }, index) => removeBot(users[index] as User, group, bot.id, stack),
    outcomes: each("200", "204", "403 invalid-bot"),
    holds: async ({ bob, service }, answers) => {
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      await eventually(async () => expect(await eventsOf(bob, /member-leave/)).toHaveLength(1));
      expect(await botsOf(service)).toEqual([]);
    },
  });

  /** A bot with a message for a device of the user who has added it. */
  async function newSceneWithMessage() {
    const scene = await newSceneWithBot();
    const [device = ""] = await addDevices(scene.ada, 1, stack);
    const json = { sender: scene.bot.client, recipients: recipientsOf([scene.ada, [device]]) };
    return { ...scene, device, json };
  }
  race("is told of nothing after its removal, whatever it does meanwhile", {
    given: newSceneWithMessage,
    against: ({ ada, group, bot }) => removeBot(ada, group, bot.id, stack),
    act: [
      ({ token, json }) => stack.publicApi("POST", "/bot/messages?ignore_missing=true", { token, json }),
      ({ token, ada, device }) =>
        stack.publicApi("POST", "/bot/users/prekeys", { token, json: { [ada.id]: [device] } }),
      (scene) => put(scene, `${scene.group.id}/name`, { name: "Engines" }),
    ],
    outcomes: each("200", "201", "403 access-denied", "404 no-conversation"),
    holds: async ({ service, bot }) => {
      const told = () =>
        service.server.callsOf(`/bots/${bot.id}/messages`).map(({ body }) => String(body.type));
      await eventually(() => expect(told()).toContain("conversation.member-leave"));
      expect(told().at(-1)).toBe("conversation.member-leave");
    },
  });

  race("gets no prekeys that would outlive it", {
    given: newSceneWithBot,
    against: ({ ada, group, bot }) => removeBot(ada, group, bot.id, stack),
    exactly: 2,
    act: ({ token }) =>
      stack.publicApi("POST", "/bot/client/prekeys", { token, json: { prekeys: newPrekeys(5, 20) } }),
    holds: ({ bot }) =>
      eventually(async () =>
        expect(await remainsOf(bot)).toEqual({ status: "deleted", devices: [], prekeys: [] }),
      ),
  });
});
