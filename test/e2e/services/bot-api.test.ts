import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastPrekeyId } from "#shared/devices/prekey.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { mixed } from "../../support/assets.ts";
import {
  addBot,
  botData,
  newRunningService,
  nothingButTombstone,
  type RunningService,
  removeBot,
} from "../../support/bots.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import { awayFromMidnight } from "../../support/midnight.ts";
import { addDevices, recipientsOf, textFor } from "../../support/otr-messages.ts";
import { newPrekey, newPrekeys } from "../../support/prekeys.ts";
import { type Provider, putConnection, putOnList, serviceData } from "../../support/services.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { newUser, type User } from "../../support/users.ts";

const stored = botData();
let provider: Provider;
let service: RunningService;
beforeAll(async () => {
  provider = await serviceData().newProvider();
  service = await newRunningService(provider);
});
afterAll(() => service.server.stop());

/** A group with a bot, whose service is shared by all tests. */
async function newGroupWithBot(users?: readonly User[], fields: Parameters<typeof newConversation>[1] = {}) {
  const members = users ?? (await Promise.all([newUser(), newUser()]));
  const group = await newConversation(members, fields);
  const [ada, bob] = members as [User, User];
  const { status, body } = await addBot(ada, group, service);
  expect(status).toBe(201);
  const created = service.server.bots.find(({ id }) => id === body.id);
  if (created === undefined) throw new Error("The service does not know the bot");
  return { ada, bob, group, bot: created };
}

type Bot = Awaited<ReturnType<typeof newGroupWithBot>>["bot"];
const get = ({ token }: Pick<Bot, "token">, path: string) => api("GET", path, { token });
const post = ({ token }: Pick<Bot, "token">, path: string, json: unknown) =>
  api("POST", path, { token, json });
const message = (bot: Bot, recipients: object, fields: object = {}) => ({
  sender: bot.client,
  recipients,
  ...fields,
});
const unknownUser = randomUUID();

describe.concurrent("a bot", () => {
  it("reads its device, with capabilities in the form of the version", async () => {
    const { bot } = await newGroupWithBot();
    const device = {
      id: bot.client,
      type: "permanent",
      time: expect.any(String),
      capabilities: ["legalhold-implicit-consent"],
      mls_public_keys: {},
    };
    expect(bot.client).toMatch(/^[1-9a-f][0-9a-f]{0,15}$/);
    expect(await get(bot, "/v9/bot/client")).toMatchObject({ status: 200, body: device });
    expect((await get(bot, "/v6/bot/client")).body).toStrictEqual({
      ...device,
      capabilities: { capabilities: device.capabilities },
    });
  });

  it("lists its prekeys and adds more", async () => {
    const { bot } = await newGroupWithBot();
    const ids = async () => (await get(bot, "/bot/client/prekeys")).body;
    expect(await ids()).toEqual([0, 1, 2, 65535]);
    expect(outcome(await post(bot, "/bot/client/prekeys", { prekeys: newPrekeys(2, 7) }))).toBe("200");
    expect(await ids()).toEqual([0, 1, 2, 7, 8, 65535]);
    const wrong = { ...newPrekey(3), id: 4 };
    expect(outcome(await post(bot, "/bot/client/prekeys", { prekeys: [wrong] }))).toBe("400 bad-request");
    expect(outcome(await post(bot, "/bot/client/prekeys", { prekeys: [] }))).toBe("200");
  });

  it("hands out its prekeys to members", async () => {
    const { ada, bot } = await newGroupWithBot();
    const { body } = await post(ada, "/v9/users/list-prekeys", {
      [localDomain]: { [bot.id]: [bot.client] },
    });
    const prekey = body.qualified_user_client_prekeys[localDomain][bot.id][bot.client];
    expect(bot.prekeys).toContainEqual(prekey);
  });

  it("looks users up, whether or not they are in its conversation", async () => {
    const [{ bot, ada }, team] = await Promise.all([newGroupWithBot(), newTeam()]);
    const { body } = await get(bot, `/bot/users?ids=${ada.id},${unknownUser},${team.owner.id}`);
    const view = { name: expect.any(String), accent_id: 0, handle: null };
    const byId = <Person extends { id: string }>(users: Person[]) =>
      users.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    expect(byId(body)).toEqual(
      byId([
        { ...view, id: ada.id, team: null },
        { ...view, id: team.owner.id, team: team.id },
      ]),
    );
    expect(outcome(await get(bot, "/bot/users"))).toBe("400 bad-request");
    const listOf = (count: number) => Array.from({ length: count }, () => randomUUID()).join("%2C");
    expect((await get(bot, `/bot/users?ids=${listOf(200)}`)).body).toEqual([]);
    expect(outcome(await get(bot, `/bot/users?ids=${listOf(201)}`))).toBe("400 bad-request");
    expect(outcome(await get(bot, "/bot/users?ids=ada"))).toBe("400 bad-request");
  });

  it("lists the devices of users and claims their prekeys, even of users under legal hold", async () => {
    const { bot } = await newGroupWithBot();
    const team = await newTeam();
    const device = (await registerDevice(team.owner, { class: "phone" })).body.id;
    await setLegalHold(team.owner, "enabled", { isSettled: false });
    const list = async (id: string) => (await get(bot, `/bot/users/${id}/clients`)).body;
    expect(await list(team.owner.id)).toContainEqual({ id: device, class: "phone" });
    expect(await list(unknownUser)).toEqual([]);
    const claim = { [team.owner.id]: [device, "abc"], [unknownUser]: ["def"] };
    expect((await post(bot, "/bot/users/prekeys", claim)).body).toStrictEqual({
      [team.owner.id]: { [device]: { id: expect.any(Number), key: expect.any(String) }, abc: null },
      [unknownUser]: { def: null },
    });
    const many = Object.fromEntries(Array.from({ length: 501 }, () => [randomUUID(), []]));
    expect(outcome(await post(bot, "/bot/users/prekeys", many))).toBe("403 too-many-clients");
  });

  it("gets nothing but the last-resort prekey of a user from whom bots of one user have claimed a hundred in a day", async () => {
    await awayFromMidnight();
    const { ada, bob, bot } = await newGroupWithBot();
    const other = await newGroupWithBot([ada, bob]);
    const device = (await registerDevice(bob, { prekeys: newPrekeys(102) })).body.id;
    const answers = await Promise.all(
      Array.from({ length: 102 }, (_, index) =>
        post(index % 2 === 0 ? bot : other.bot, "/bot/users/prekeys", { [bob.id]: [device] }),
      ),
    );
    const ids = answers.map(({ body }) => body[bob.id][device].id);
    expect(ids.filter((id) => id === lastPrekeyId)).toHaveLength(2);
    expect(new Set(ids).size).toBe(101);
  });

  it("is a stranger to users outside its conversation, from whom it gets few prekeys", async () => {
    await awayFromMidnight();
    const [{ bot }, outsider] = [await newGroupWithBot(), await newUser()];
    const device = (await registerDevice(outsider, { prekeys: newPrekeys(20) })).body.id;
    const ids: number[] = [];
    for (let count = 0; count < 12; count++) {
      const { body } = await post(bot, "/bot/users/prekeys", { [outsider.id]: [device] });
      ids.push(body[outsider.id][device].id);
    }
    expect(ids.filter((id) => id !== lastPrekeyId)).toHaveLength(10);
  });

  it("charges what it stores to the user who has added it", async () => {
    const limits = { setDailyUploadBudget: { perUser: 20_000 }, setDailyWriteBudget: { perUser: 60_000 } };
    const stack = await stackWith(limits, { isClockStopped: true });
    const { publicApi } = stack;
    const { ada, group, bot } = await newGroupWithBot();
    const second = await addBot(ada, group, service);
    const other = service.server.bots.find(({ id }) => id === second.body.id) as Bot;
    const upload = async ({ token }: { token: string }, path: string) =>
      outcome(
        await publicApi("POST", path, {
          token,
          headers: mixed,
          body: uploadBody({ content: "x".repeat(8000) }),
        }),
      );
    expect(await upload(bot, "/bot/assets")).toBe("201");
    expect(await upload(other, "/bot/assets")).toBe("201");
    expect(await upload(ada, "/v9/assets")).toBe("429 too-many-requests");
    expect(await upload(bot, "/bot/assets")).toBe("429 too-many-requests");
    const outcomes: string[] = [];
    for (let count = 0; count < 40; count++) {
      const prekeys = { token: bot.token, json: { prekeys: newPrekeys(2, 7) } };
      outcomes.push(outcome(await publicApi("POST", "/bot/client/prekeys", prekeys)));
    }
    expect(outcomes[0]).toBe("200");
    expect(outcomes.at(-1)).toBe("429 too-many-requests");
  });

  it("reads its conversation without itself", async () => {
    const { ada, bob, group, bot } = await newGroupWithBot(undefined, { name: "Quiz night" });
    const { body } = await get(bot, "/bot/conversation");
    expect(body).toMatchObject({ id: group.id, name: "Quiz night" });
    expect(body.members.map(({ id }: { id: string }) => id)).toEqual([ada.id, bob.id].sort());
    const unnamed = await newGroupWithBot();
    expect((await get(unnamed.bot, "/bot/conversation")).body).not.toHaveProperty("name");
  });

  it("sends messages that address all devices of all members, or allow some to be missing", async () => {
    const { ada, bob, group, bot } = await newGroupWithBot();
    const [adas, bobs] = await Promise.all([addDevices(ada), addDevices(bob)]);
    const partial = message(bot, recipientsOf([ada, adas]));
    expect(await post(bot, "/bot/messages", partial)).toMatchObject({
      status: 412,
      body: { missing: { [bob.id]: bobs }, redundant: {}, deleted: {} },
    });
    const query = "?ignore_missing=true";
    expect(outcome(await post(bot, `/bot/messages${query}`, { ...partial, data: "aGk=" }))).toBe("201");
    expect(outcome(await post(bot, "/bot/messages?report_missing=false", partial))).toBe("201");
    await eventually(async () => {
      const [event] = await storedEvents(ada.token, /otr-message-add/);
      expect(event).toMatchObject({
        conversation: group.id,
        from: bot.id,
        data: { sender: bot.client, recipient: adas[0], text: textFor(adas[0] ?? ""), data: "aGk=" },
      });
    });
    const foreign = { ...partial, sender: adas[0] };
    expect(outcome(await post(bot, "/bot/messages", foreign))).toBe("403 unknown-client");
  });

  it("neither keeps members under legal hold from writing, nor is kept from any conversation", async () => {
    const team = await newTeam();
    await Promise.all([
      setLegalHold(team.owner, "enabled", { isSettled: false }),
      putOnList(team, team.owner, service),
    ]);
    const { group, bot } = await newGroupWithBot([team.owner], { team });
    const [device] = await addDevices(team.owner);
    const all = await get(bot, `/bot/users/${team.owner.id}/clients`);
    const ids = all.body.map(({ id }: { id: string }) => id);
    const sent = await post(bot, "/bot/messages", message(bot, recipientsOf([team.owner, ids])));
    expect(outcome(sent)).toBe("201");
    const others = ids.filter((id: string) => id !== device);
    const answer = await api("POST", `/conversations/${group.id}/otr/messages`, {
      ...team.owner,
      json: { sender: device, recipients: recipientsOf([team.owner, others], [bot, [bot.client]]) },
    });
    expect(outcome(answer)).toBe("201");
    const claimed = await post(team.owner, "/v9/users/list-prekeys", {
      [localDomain]: { [bot.id]: [bot.client] },
    });
    expect(outcome(claimed)).toBe("200");
  });

  it("leaves its conversation, and is deleted", async () => {
    const { ada, bob, group, bot } = await newGroupWithBot();
    const leave = () => api("DELETE", "/bot/self", { token: bot.token });
    expect(outcome(await leave())).toBe("200");
    expect(outcome(await leave())).toBe("403 invalid-bot");
    for (const user of [ada, bob]) {
      await eventually(async () => {
        const [event] = await storedEvents(user.token, /member-leave/);
        expect(event).toMatchObject({
          conversation: group.id,
          from: bot.id,
          data: { reason: "removed", user_ids: [bot.id] },
        });
      });
    }
    await eventually(async () => expect(await stored.remainsOf(bot)).toEqual(nothingButTombstone));
  });

  it("cannot use its token once it is removed", async () => {
    const { ada, group, bot } = await newGroupWithBot();
    expect(outcome(await removeBot(ada, group, bot.id))).toBe("200");
    const answers = {
      "GET /bot/self": await get(bot, "/bot/self"),
      "GET /bot/client": await get(bot, "/bot/client"),
      "POST /bot/client/prekeys": await post(bot, "/bot/client/prekeys", { prekeys: newPrekeys(1) }),
      "GET /bot/users": await get(bot, `/bot/users?ids=${ada.id}`),
      "POST /bot/users/prekeys": await post(bot, "/bot/users/prekeys", { [ada.id]: [] }),
      "GET /bot/users/{user}/clients": await get(bot, `/bot/users/${ada.id}/clients`),
      "GET /bot/conversation": await get(bot, "/bot/conversation"),
      "POST /bot/messages": await post(bot, "/bot/messages", message(bot, {})),
    };
    const outcomes = Object.entries(answers).map(([name, answer]) => [name, outcome(answer)]);
    expect(Object.fromEntries(outcomes)).toEqual({
      "GET /bot/self": "404 not-found",
      "GET /bot/client": "404 client-not-found",
      "POST /bot/client/prekeys": "404 client-not-found",
      "GET /bot/users": "403 access-denied",
      "POST /bot/users/prekeys": "403 access-denied",
      "GET /bot/users/{user}/clients": "403 access-denied",
      "GET /bot/conversation": "404 no-conversation",
      "POST /bot/messages": "404 no-conversation",
    });
    expect((await get(bot, "/bot/client/prekeys")).body).toEqual([]);
  });
});

it("a suspended bot sends nothing, and looks nobody up, until it is resumed", async () => {
  const { ada, bot } = await newGroupWithBot();
  const ids = await addDevices(ada, 1);
  const setStatus = (status: string) => internalApi("PUT", `/i/users/${bot.id}/status`, { json: { status } });
  const sendAll = async () => [
    outcome(await post(bot, "/bot/messages?ignore_missing=true", message(bot, recipientsOf([ada, ids])))),
    outcome(await post(bot, "/bot/users/prekeys", { [ada.id]: ids })),
    outcome(await get(bot, `/bot/users?ids=${ada.id}`)),
    outcome(await get(bot, `/bot/users/${ada.id}/clients`)),
  ];
  expect(outcome(await setStatus("suspended"))).toBe("200");
  expect(await sendAll()).toEqual(["403 suspended", ...Array(3).fill("403 access-denied")]);
  expect(outcome(await setStatus("active"))).toBe("200");
  expect(await sendAll()).toEqual(["201", "200", "200", "200"]);
});

it("a bot whose service is switched off reads what is its own and may leave, but does nothing else until it is on again", async ({
  onTestFinished,
}) => {
  const switched = await newRunningService(provider);
  onTestFinished(() => switched.server.stop());
  const [ada, bob] = await Promise.all([newUser(), newUser()]);
  const group = await newConversation([ada, bob]);
  const ids = await addDevices(ada, 1);
  const added = await Promise.all([addBot(ada, group, switched), addBot(ada, group, switched)]);
  const [bot, leaving] = added.map(({ body }) => switched.server.bots.find(({ id }) => id === body.id));
  if (bot === undefined || leaving === undefined) throw new Error("The service does not know its bots");
  const upload = () =>
    api("POST", "/bot/assets", { token: bot.token, headers: mixed, body: uploadBody({ content: "x" }) });
  const key = (await upload()).body.key;
  const act = async () => [
    outcome(await post(bot, "/bot/messages?ignore_missing=true", message(bot, recipientsOf([ada, ids])))),
    outcome(await post(bot, "/bot/messages", message(bot, {}))),
    outcome(await post(bot, "/bot/client/prekeys", { prekeys: newPrekeys(1, 9) })),
    outcome(await post(bot, "/bot/users/prekeys", { [ada.id]: ids })),
    outcome(await get(bot, `/bot/users?ids=${ada.id}`)),
    outcome(await get(bot, `/bot/users/${ada.id}/clients`)),
    outcome(await upload()),
  ];
  const remove = async () => outcome(await api("DELETE", `/bot/assets/${key}`, { token: bot.token }));
  const read = async () => {
    const paths = ["self", "client", "client/prekeys", "conversation"];
    return Promise.all(paths.map(async (path) => outcome(await get(bot, `/bot/${path}`))));
  };
  expect(outcome(await putConnection(provider, switched, { enabled: false }))).toBe("200");
  expect(await act()).toEqual(Array(7).fill("403 access-denied"));
  expect(await remove()).toBe("403 access-denied");
  expect(await read()).toEqual(Array(4).fill("200"));
  expect((await get(bot, "/bot/client/prekeys")).body).not.toContain(9);
  expect(outcome(await api("DELETE", "/bot/self", { token: leaving.token }))).toBe("200");
  expect(outcome(await putConnection(provider, switched, { enabled: true }))).toBe("200");
  expect(await act()).toEqual(["201", "412", "200", "200", "200", "200", "201"]);
  expect(await remove()).toBe("200");
});
