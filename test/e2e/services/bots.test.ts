import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import type { BotServiceOptions } from "../../support/bot-service.ts";
import { addBot, botData, newRunningService, nothingButTombstone, removeBot } from "../../support/bots.ts";
import { localDomain, requestConnection } from "../../support/connections.ts";
import { conversationData, newConversation, qualified } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices, recipientsOf, sendJson } from "../../support/otr-messages.ts";
import { type Provider, putConnection, putOnList, serviceData } from "../../support/services.ts";
import { newTeam } from "../../support/teams.ts";
import { newServiceKey } from "../../support/tls-service.ts";
import { newUser, type User } from "../../support/users.ts";

const data = serviceData();
const stored = botData();
const { store: conversations } = conversationData();
let provider: Provider;
beforeAll(async () => {
  provider = await data.newProvider();
});

async function newService(options: { server?: BotServiceOptions } & Record<string, unknown> = {}) {
  const service = await newRunningService(provider, options);
  return service;
}

/** A group of two users, with a service that may be added. */
async function newGroup(fields: Parameters<typeof newConversation>[1] = {}, users = 2) {
  const [members, service] = await Promise.all([
    Promise.all(Array.from({ length: users }, () => newUser())),
    newService(),
  ]);
  const [ada, bob] = members as [User, User];
  return { ada, bob, service, group: await newConversation(members, fields) };
}

/** A group with a bot. */
async function newGroupWithBot(fields: Parameters<typeof newConversation>[1] = {}, users = 2) {
  const { service, group, ada, bob } = await newGroup(fields, users);
  const added = await addBot(ada, group, service);
  expect(outcome(added)).toBe("201");
  const token = service.server.bots.at(-1)?.token ?? "";
  return { service, group, ada, bob, added, bot: { id: added.body.id as string, token } };
}

const membersOf = async ({ id }: { id: string }, { token }: Pick<User, "token">) =>
  (await api("GET", `/conversations/${localDomain}/${id}`, { token })).body.members;
const otherIds = async (group: { id: string }, user: User) =>
  (await membersOf(group, user)).others.map(({ id }: { id: string }) => id).sort();
const eventsOf = async ({ token }: Pick<User, "token">, type: string, { id }: { id: string }) =>
  (await storedEvents(token, new RegExp(`^conversation\\.${type}$`))).filter(
    ({ conversation }) => conversation === id,
  );
const selfOf = (bot: Pick<User, "token">) => api("GET", "/bot/self", bot);
const rename = ({ token }: User, { id }: { id: string }, name = "Engines") =>
  api("PUT", `/conversations/${localDomain}/${id}/name`, { token, json: { name } });

describe.concurrent("adding a bot", () => {
  it("tells a service with a pinned self-signed certificate about all members, and makes its bot a member", async () => {
    const looks = { name: "Quizmaster", accent_id: 5, assets: [] };
    const service = await newService({ server: { looks } });
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const group = await newConversation([ada, bob], { name: "Quiz night", roles: { [bob.id]: "member" } });
    const { status, body } = await addBot(ada, group, service, { locale: "de" });
    expect(status).toBe(201);
    const [call] = service.server.callsOf("/bots");
    const member = (id: string, role: string) => ({
      id,
      qualified_id: { domain: localDomain, id },
      conversation_role: `svc_${role}`,
      status: 0,
    });
    const members = [member(ada.id, "admin"), member(bob.id, "member")].sort((one, other) =>
      one.id < other.id ? -1 : 1,
    );
    expect(call).toStrictEqual({
      method: "POST",
      path: "/bots",
      authorization: `Bearer ${service.server.authToken}`,
      body: {
        id: body.id,
        client: body.client,
        token: expect.stringContaining(`.t=b.l=.p=${provider.id}.b=${body.id}.c=${group.id}`),
        locale: "de",
        origin: { id: ada.id, name: expect.any(String), accent_id: 0, handle: null, team: null },
        conversation: { id: group.id, name: "Quiz night", members },
      },
    });
    expect(body).toMatchObject({ ...looks, event: { type: "conversation.member-join", from: ada.id } });
    expect(body.event.data.users).toEqual([
      { id: body.id, qualified_id: { domain: localDomain, id: body.id }, conversation_role: "svc_admin" },
    ]);
    for (const user of [ada, bob]) {
      await eventually(async () => expect(await eventsOf(user, "member-join", group)).toEqual([body.event]));
    }
    expect((await membersOf(group, bob)).others).toContainEqual({
      ...member(body.id, "admin"),
      service: { id: service.id, provider: provider.id },
    });
    const self = await selfOf({ token: call?.body.token });
    expect(self).toMatchObject({
      status: 200,
      body: { id: body.id, name: "Quizmaster", service: { id: service.id, provider: provider.id } },
    });
    const profile = await api("GET", `/users/${localDomain}/${body.id}`, ada);
    expect(profile.body).toEqual(self.body);
  });

  it("gives a bot the name and pictures of its service, and the language of the user who adds it, by default", async () => {
    const assets = [{ key: "3-2-6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a01", type: "image", size: "preview" }];
    const service = await newService({ assets });
    const ada = await newUser({ locale: "fr" });
    const { body } = await addBot(ada, await newConversation([ada]), service);
    expect(body).toMatchObject({ name: service.name, accent_id: 0, assets });
    expect(service.server.calls[0]?.body).toMatchObject({ locale: "fr" });
    expect(service.server.calls[0]?.body.conversation).not.toHaveProperty("name");
  });

  it.each([0, 6, 7, 9])("works in version %i, as does removing one", async (version) => {
    const { ada, group, service } = await newGroup();
    const added = await addBot(ada, group, service, { version });
    expect(outcome(added)).toBe("201");
    const removed = await removeBot(ada, group, added.body.id, { version });
    expect(removed).toMatchObject({ status: 200, body: { event: { type: "conversation.member-leave" } } });
  });

  it("has its old path up to version 6, and the new one from version 7", async () => {
    const {
      ada: { token },
      group,
      service,
    } = await newGroup();
    const json = { provider: service.provider, service: service.id };
    const post = async (path: string) => outcome(await api("POST", path, { token, json }));
    expect(await post(`/v7/conversations/${group.id}/bots`)).toBe("404 no-endpoint");
    expect(await post(`/v6/bot/conversations/${group.id}`)).toBe("404 no-endpoint");
  });

  it("creates no bot when the service has another key, and sends it nothing", async () => {
    const { ada, group } = await newGroup();
    const service = await newService({ public_key: newServiceKey().publicKey });
    expect(outcome(await addBot(ada, group, service))).toBe("502 bad-gateway");
    expect(service.server.calls).toEqual([]);
    expect(await otherIds(group, ada)).toHaveLength(1);
    expect(await stored.botsOf(service)).toEqual([]);
  });

  it("accepts a certificate with any of the service's keys, and presents the first of its tokens", async () => {
    const { ada, group, service } = await newGroup();
    const { publicKey } = service.server;
    const rotation = {
      public_keys: [newServiceKey().publicKey, publicKey],
      auth_tokens: ["first", "second"],
    };
    expect(outcome(await putConnection(provider, service, rotation))).toBe("200");
    expect(outcome(await addBot(ada, group, service))).toBe("201");
    expect(service.server.calls[0]?.authorization).toBe("Bearer first");
  });

  it("is refused when the service declines more bots", async () => {
    const { ada, group, service } = await newGroup();
    service.server.answer("/bots", { status: 409 });
    expect(outcome(await addBot(ada, group, service))).toBe("409 too-many-bots");
    expect(await otherIds(group, ada)).toHaveLength(1);
  });

  it("checks caller, role, kind, roles, service, and the team's list, in this order", async () => {
    const team = await newTeam();
    const [mate, stranger, service, off] = await Promise.all([
      team.add(),
      newUser(),
      newService(),
      newService({ enabled: false }),
    ]);
    const unknown = { id: randomUUID(), provider: provider.id };
    const users = [team.owner, mate];
    const [group, closed, mls, oneToOne] = await Promise.all([
      newConversation(users, { team, roles: { [mate.id]: "member" } }),
      newConversation(users, { team, accessRoles: ["team_member"] }),
      newConversation(users, { team, protocol: "mls", accessRoles: ["team_member"] }),
      newConversation(users, { team, type: "one-to-one", accessRoles: [] }),
    ]);
    const add = async (user: User, conversation: { id: string }, wanted: { id: string; provider: string }) =>
      outcome(await addBot(user, conversation, wanted));
    expect(await add(stranger, group, unknown)).toBe("404 no-conversation");
    expect(await add(stranger, { id: randomUUID() }, unknown)).toBe("404 no-conversation");
    expect(await add(mate, group, unknown)).toBe("403 access-denied");
    for (const wrong of [oneToOne, mls, closed])
      expect(await add(team.owner, wrong, unknown)).toBe("403 invalid-conversation");
    expect(await add(team.owner, group, unknown)).toBe("404 not-found");
    expect(await add(team.owner, group, { ...service, provider: randomUUID() })).toBe("404 not-found");
    expect(await add(team.owner, group, off)).toBe("403 service-disabled");
    expect(await add(team.owner, group, service)).toBe("403 service-not-whitelisted");
    expect(outcome(await putOnList(team, team.owner, service))).toBe("200");
    expect(await add(team.owner, group, service)).toBe("201");
    expect(service.server.calls).toHaveLength(1);
  });
});

describe.concurrent("a bot", () => {
  it("leaves with an event when the team takes its service off its list", async () => {
    const team = await newTeam();
    const [mate, service] = await Promise.all([team.add(), newService()]);
    await putOnList(team, team.owner, service);
    const group = await newConversation([team.owner, mate], { team });
    const { body } = await addBot(team.owner, group, service);
    expect(outcome(await putOnList(team, team.owner, service, false))).toBe("200");
    await eventually(async () => {
      const [event] = await eventsOf(mate, "member-leave", group);
      expect(event).toMatchObject({ from: team.owner.id, data: { reason: "removed", user_ids: [body.id] } });
    });
    expect(await otherIds(group, mate)).toEqual([team.owner.id]);
  });

  it("leaves in its own name, after the event of the access, when the conversation no longer admits services", async () => {
    const { ada, bob, group, bot } = await newGroupWithBot();
    const json = { access: ["invite"], access_role: ["team_member", "non_team_member"] };
    const put = await api("PUT", `/v9/conversations/${localDomain}/${group.id}/access`, { ...ada, json });
    expect(outcome(put)).toBe("200");
    await eventually(async () => {
      const events = await eventsOf(bob, "(access-update|member-leave)", group);
      expect(events.map(({ type }) => type)).toEqual([
        "conversation.access-update",
        "conversation.member-leave",
      ]);
      expect(events[1]).toMatchObject({ from: bot.id, data: { reason: "removed", user_ids: [bot.id] } });
    });
    expect(outcome(await selfOf(bot))).toBe("404 not-found");
  });

  it("leaves with all others when there are more than fit into a transaction", async () => {
    const team = await newTeam();
    const [mate, service] = await Promise.all([team.add(), newService()]);
    await putOnList(team, team.owner, service);
    const access = ["invite", "code"] as const;
    const group = await newConversation([team.owner, mate], {
      team,
      access: [...access],
      cellsState: "ready",
    });
    for (let count = 0; count < 14; count++)
      expect(outcome(await addBot(team.owner, group, service))).toBe("201");
    const json = { access: ["invite"], access_role: ["team_member"] };
    const path = `/v9/conversations/${localDomain}/${group.id}/access`;
    expect(outcome(await api("PUT", path, { ...team.owner, json }))).toBe("200");
    await eventually(async () => expect(await stored.botsOf(service)).toEqual([]));
    expect(await otherIds(group, mate)).toEqual([team.owner.id]);
  });

  it("is deleted with everything that it had when an admin removes it", async () => {
    const { ada, bob, group, bot, service, added } = await newGroupWithBot();
    const removed = await removeBot(ada, group, bot.id);
    expect(removed).toMatchObject({
      status: 200,
      body: { event: { from: ada.id, data: { reason: "removed", user_ids: [bot.id] } } },
    });
    await eventually(async () =>
      expect(await eventsOf(bob, "member-leave", group)).toEqual([removed.body.event]),
    );
    expect(outcome(await removeBot(ada, group, bot.id))).toBe("204");
    expect((await api("GET", `/users/${localDomain}/${bot.id}`, ada)).body).toMatchObject({ deleted: true });
    expect(await stored.botsOf(service)).toEqual([]);
    await eventually(async () => expect(await stored.remainsOf(added.body)).toEqual(nothingButTombstone));
  });

  it("is removed by admins of its conversation only, and only as a bot", async () => {
    const { ada, bob, group, bot } = await newGroupWithBot();
    const [stranger, member] = await Promise.all([newUser(), newUser()]);
    const other = await newConversation([ada, member], { roles: { [member.id]: "member" } });
    expect(outcome(await removeBot(stranger, group, bot.id))).toBe("404 no-conversation");
    expect(outcome(await removeBot(member, other, bot.id))).toBe("403 access-denied");
    const connection = await newConversation([ada], { type: "self" });
    expect(outcome(await removeBot(ada, connection, bot.id))).toBe("403 invalid-conversation");
    expect(outcome(await removeBot(ada, other, bot.id))).toBe("204");
    expect(outcome(await removeBot(ada, group, bob.id))).toBe("204");
    expect(await otherIds(group, ada)).toEqual([bob.id, bot.id].sort());
  });

  it("is deleted, too, when it is removed as a member", async () => {
    const { ada, group, bot, added } = await newGroupWithBot();
    const path = `/conversations/${localDomain}/${group.id}/members/${localDomain}/${bot.id}`;
    const removed = await api("DELETE", path, ada);
    expect(removed).toMatchObject({ status: 200, body: { from: ada.id, data: { user_ids: [bot.id] } } });
    expect(outcome(await selfOf(bot))).toBe("404 not-found");
    await eventually(async () => expect(await stored.remainsOf(added.body)).toEqual(nothingButTombstone));
  });

  it("leaves when no user is left, and is deleted with its conversation", async () => {
    const first = await newGroupWithBot();
    for (const user of [first.bob, first.ada]) {
      const path = `/conversations/${localDomain}/${first.group.id}/members/${localDomain}/${user.id}`;
      expect(outcome(await api("DELETE", path, user))).toBe("200");
    }
    const team = await newTeam();
    const service = await newService();
    await putOnList(team, team.owner, service);
    const group = await newConversation([team.owner], { team });
    await addBot(team.owner, group, service);
    const second = { token: service.server.bots[0]?.token ?? "" };
    expect(outcome(await api("DELETE", `/teams/${team.id}/conversations/${group.id}`, team.owner))).toBe(
      "200",
    );
    for (const bot of [first.bot, second])
      await eventually(async () => expect(outcome(await selfOf(bot))).toBe("404 not-found"));
  });

  it("leaves when the account of the last user is deleted", async () => {
    const { ada, group, bot, added } = await newGroupWithBot({}, 1);
    const json = { password: ada.password };
    expect(outcome(await api("DELETE", "/self", { ...ada, json }))).toBe("200");
    await eventually(async () => expect(outcome(await selfOf(bot))).toBe("404 not-found"));
    await eventually(async () => expect(await stored.remainsOf(added.body)).toEqual(nothingButTombstone));
    expect((await conversations.getPopulated(group.id))?.members ?? []).toEqual([]);
  });

  it("leaves its conversation and the list of its service when an operator deletes it", async () => {
    const { bob, group, bot, service } = await newGroupWithBot();
    expect((await internalApi("DELETE", `/i/users/${bot.id}`)).status).toBe(202);
    await eventually(async () => expect(await stored.botsOf(service)).toEqual([]));
    expect(await otherIds(group, bob)).not.toContain(bot.id);
  });

  it("does not prevent its conversation's migration to MLS, but leaves when it ends", async () => {
    const mlsUser = { supported_protocols: ["proteus" as const, "mls" as const] };
    const [team, service] = await Promise.all([newTeam({ owner: mlsUser }), newService()]);
    for (const name of ["mls", "mlsMigration"]) {
      const json = { status: "enabled", lockStatus: "unlocked" };
      const patched = await internalApi("PATCH", `/i/teams/${team.id}/features/${name}`, { json });
      expect(patched.status).toBe(200);
    }
    await putOnList(team, team.owner, service);
    const group = await newConversation([team.owner], { team });
    expect(outcome(await addBot(team.owner, group, service))).toBe("201");
    const bot = { token: service.server.bots[0]?.token ?? "" };
    for (const protocol of ["mixed", "mls"]) {
      const path = `/v9/conversations/${localDomain}/${group.id}/protocol`;
      expect(outcome(await api("PUT", path, { ...team.owner, json: { protocol } }))).toBe("200");
    }
    await eventually(async () => expect(outcome(await selfOf(bot))).toBe("404 not-found"));
    expect(await otherIds(group, team.owner)).toEqual([]);
  });

  it("cannot be connected to, searched, or added as a member, and has no session", async () => {
    const { ada, group, bot, added } = await newGroupWithBot();
    expect(outcome(await requestConnection(ada, bot))).toBe("400 invalid-user");
    const query = new URLSearchParams({ q: added.body.name });
    const found = await api("GET", `/search/contacts?${query}`, ada);
    expect(found.body.documents.map(({ id }: { id: string }) => id)).not.toContain(bot.id);
    const accessRoles = ["team_member", "non_team_member", "guest", "service"] as const;
    const other = await newConversation([ada], { accessRoles: [...accessRoles] });
    const json = { qualified_users: qualified({ id: bot.id }) };
    const path = `/conversations/${localDomain}/${other.id}/members`;
    expect(outcome(await api("POST", path, { ...ada, json }))).toBe("403 not-connected");
    expect(outcome(await api("GET", "/self", bot))).toBe("403 access-denied");
    expect(outcome(await rename({ ...ada, ...bot }, group))).toBe("403 access-denied");
  });

  it("can be given another role", async () => {
    const { ada, group, bot } = await newGroupWithBot();
    const path = `/conversations/${localDomain}/${group.id}/members/${localDomain}/${bot.id}`;
    const put = await api("PUT", path, { ...ada, json: { conversation_role: "svc_member" } });
    expect(outcome(put)).toBe("200");
    const { others } = await membersOf(group, ada);
    expect(others.find(({ id }: { id: string }) => id === bot.id)).toMatchObject({
      conversation_role: "svc_member",
    });
  });

  it("has a device that messages must address", async () => {
    const { ada, bob, group, bot, added } = await newGroupWithBot();
    const [[sender], bobs] = await Promise.all([addDevices(ada), addDevices(bob)]);
    const send = (recipients: Parameters<typeof sendJson>[2]["recipients"]) =>
      sendJson(group, ada, { sender: sender ?? "", recipients });
    const without = await send(recipientsOf([bob, bobs]));
    expect(without).toMatchObject({ status: 412, body: { missing: { [bot.id]: [added.body.client] } } });
    expect(outcome(await send(recipientsOf([bob, bobs], [bot, [added.body.client]])))).toBe("201");
  });
});
