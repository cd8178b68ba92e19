import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { deviceIdOf } from "#shared/devices/prekey.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { newDevice, putDevice, registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { type Fault, injectFaults, withLostAnswers } from "../../support/faults.ts";
import { legalHoldData, switchLegalHold } from "../../support/legal-hold.ts";
import { type LegalHoldService, startLegalHoldService } from "../../support/legal-hold-service.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { lastPrekey, newPrekeys } from "../../support/prekeys.ts";
import { stackWith } from "../../support/stack-with.ts";
import { changePermissions, newTeam, removeMember, type Team } from "../../support/teams.ts";
import { testSettings } from "../../support/test-settings.ts";
import { partsOf } from "../../support/tokens.ts";
import { type Apis, logIn, newUser, somePassword, type User } from "../../support/users.ts";

const data = legalHoldData();
const conversations = conversationData();
const services: LegalHoldService[] = [];
afterAll(() => {
  for (const service of services) service.stop();
});

/** A team with a service, and a member who has consented. */
async function newHeldTeam(apis: Apis = { publicApi: api, internalApi }) {
  const [team, service] = await Promise.all([
    newTeam({}, apis.data === undefined ? undefined : apis),
    startLegalHoldService(),
  ]);
  services.push(service);
  await switchLegalHold(team, "enabled", apis);
  const json = service.registration;
  const registered = await apis.publicApi("POST", `/teams/${team.id}/legalhold/settings`, {
    token: team.owner.token,
    json,
  });
  expect(outcome(registered)).toBe("201");
  const member = await team.add();
  expect(outcome(await consent(team, member, apis.publicApi))).toBe("201");
  return { team, service, member };
}

const pathOf = (team: Team, { id }: User) => `/teams/${team.id}/legalhold/${id}`;
const consent = (team: Team, { token }: User, publicApi = api) =>
  publicApi("POST", `/teams/${team.id}/legalhold/consent`, { token });
const request = (team: Team, member: User, { token } = team.owner, publicApi = api) =>
  publicApi("POST", pathOf(team, member), { token });
const withPassword = { password: somePassword };
const approve = (
  team: Team,
  member: User,
  json: object = withPassword,
  { token } = member,
  publicApi = api,
) => publicApi("PUT", `${pathOf(team, member)}/approve`, { token, json });
const end = (
  team: Team,
  member: User,
  json: object = withPassword,
  { token } = team.owner,
  publicApi = api,
) => publicApi("DELETE", pathOf(team, member), { token, json });
const statusOf = async (team: Team, member: User, { token } = member, publicApi = api) =>
  (await publicApi("GET", pathOf(team, member), { token })).body;
const devicesOf = async ({ token }: User, publicApi = api) =>
  (await publicApi("GET", "/v8/clients", { token })).body;
const eventsOf = async ({ token }: Pick<User, "token">): Promise<{ type: string; id?: string }[]> =>
  (await api("GET", "/v8/notifications?size=1000", { token })).body.notifications.flatMap(
    ({ payload }: { payload: unknown[] }) => payload,
  );
const typesOf = async (user: Pick<User, "token">) =>
  (await eventsOf(user)).map(({ type }) => type).filter((type) => /legalhold|client/.test(type));

/** A member under legal hold, and the token by which the service reads. */
async function newHeldMember() {
  const held = await newHeldTeam();
  const { team, member, service } = held;
  expect(outcome(await request(team, member))).toBe("201");
  expect(outcome(await approve(team, member))).toBe("200");
  const [confirmed] = service.callsOf("/confirm");
  const cookie: string = confirmed?.body.refresh_token;
  const { body } = await api("POST", "/access", { cookie });
  return { ...held, cookie, deviceToken: body.access_token as string, clientId: confirmed?.body.client_id };
}

describe.concurrent("consent", () => {
  it("is given once; repeating it returns 204", async () => {
    const team = await newTeam();
    const member = await team.add();
    expect(await statusOf(team, member)).toStrictEqual({ status: "no_consent" });
    expect(outcome(await consent(team, member))).toBe("201");
    expect(outcome(await consent(team, member))).toBe("204");
    expect(await statusOf(team, member, await newUser())).toStrictEqual({ status: "disabled" });
    expect(await data.statusOf({ teamId: team.id, userId: member.id })).toEqual({
      member: "disabled",
      account: "disabled",
    });
  });

  it("is for members of the team", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    expect(outcome(await consent(team, stranger))).toBe("404 no-team-member");
    expect(outcome(await api("GET", pathOf(team, stranger), { token: stranger.token }))).toBe(
      "404 no-team-member",
    );
  });

  it("is kept by a change of permissions that was decided earlier", async () => {
    const team = await newTeam();
    const member = await team.add();
    const permissions = { self: 5951, copy: 5951 };
    const [consented, changed] = await Promise.all([
      consent(team, member),
      changePermissions(team, team.owner, member, permissions),
    ]);
    expect([outcome(consented), outcome(changed)]).toEqual(["201", "200"]);
    expect(await data.statusOf({ teamId: team.id, userId: member.id })).toEqual({
      member: "disabled",
      account: "disabled",
    });
  });
});

describe.concurrent("a request for a device", () => {
  it("requires consent; the first request returns 201, a repeated one 204 with a new device", async () => {
    const { team, service, member } = await newHeldTeam();
    const hesitant = await team.add();
    expect(outcome(await request(team, hesitant))).toBe("409 legalhold-no-consent");
    expect(outcome(await request(team, member))).toBe("201");
    expect(outcome(await request(team, member))).toBe("204");
    const [, { last_prekey } = { last_prekey: { id: 0, key: "" } }] = service.devices;
    const client = { id: deviceIdOf(last_prekey) };
    expect(await statusOf(team, member)).toStrictEqual({ status: "pending", last_prekey, client });
    expect(await devicesOf(member)).toEqual([]);
    await eventually(async () => {
      const events = (await eventsOf(member)).filter(({ type }) => type === "user.legalhold-request");
      expect(events).toHaveLength(2);
      expect(events[1]).toEqual({ type: "user.legalhold-request", id: member.id, last_prekey, client });
    });
  });

  it("is checked in the order of the interface", async () => {
    const [team, other] = await Promise.all([newTeam(), newUser()]);
    const [member, admin] = await Promise.all([team.add(), team.add("admin")]);
    expect(outcome(await request(team, member, other))).toBe("403 legalhold-not-enabled");
    await switchLegalHold(team, "enabled");
    expect(outcome(await request(team, member, other))).toBe("403 no-team-member");
    expect(outcome(await request(team, other, member))).toBe("403 operation-denied");
    expect(outcome(await request(team, other, admin))).toBe("404 no-team-member");
    expect(outcome(await request(team, member, admin))).toBe("409 legalhold-no-consent");
    await consent(team, member);
    expect(outcome(await request(team, member, admin))).toBe("400 legalhold-not-registered");
    await conversations.newConversation([member], {
      protocol: "mls",
      group: { groupId: "AAAA", epoch: 0 },
    });
    expect(outcome(await request(team, member, admin))).toBe("409 mls-legal-hold-not-allowed");
  });

  it("is refused for members of MLS groups, but not for those with a self conversation in MLS", async () => {
    const { team, member } = await newHeldTeam();
    expect((await api("GET", "/v8/conversations/mls-self", { token: member.token })).status).toBe(200);
    expect(outcome(await request(team, member))).toBe("201");
  });

  it("changes nothing when the service fails or answers wrongly", async () => {
    const { team, service, member } = await newHeldTeam();
    service.answer("/initiate", { status: 400 });
    expect(outcome(await request(team, member))).toBe("412 legalhold-unavailable");
    service.answer("/initiate", { body: { prekeys: [] } });
    expect(outcome(await request(team, member))).toBe("400 legalhold-status-bad");
    expect(await statusOf(team, member)).toStrictEqual({ status: "disabled" });
    expect(await typesOf(member)).toEqual([]);
  });

  it("is refused when its device would replace one of the user's", async () => {
    const { team, service, member } = await newHeldTeam();
    const own = newDevice();
    expect((await api("POST", "/v8/clients", { token: member.token, json: own })).status).toBe(201);
    service.answer("/initiate", { body: { prekeys: own.prekeys, last_prekey: own.lastkey } });
    expect(outcome(await request(team, member))).toBe("400 legalhold-status-bad");
  });

  it("goes to the service once when two admins send it concurrently", async () => {
    const { team, service, member } = await newHeldTeam();
    const admin = await team.add("admin");
    const device = { prekeys: newPrekeys(3), last_prekey: lastPrekey() };
    let second: ApiAnswer | undefined;
    service.answer("/initiate", async () => {
      second = await request(team, member, admin);
      return { body: device };
    });
    const first = await request(team, member);
    expect([first, second].map((answer) => answer && outcome(answer))).toEqual([
      "201",
      "409 concurrent-change",
    ]);
    expect(service.callsOf("/initiate")).toHaveLength(1);
    expect((await statusOf(team, member)).last_prekey).toEqual(device.last_prekey);
  });
});

describe.concurrent("an approval", () => {
  it("adds the device, and gives the service a cookie for access tokens", async () => {
    const { team, service, member } = await newHeldTeam();
    const friend = await newUser();
    await connectUsers(member, friend);
    await request(team, member);
    expect(outcome(await approve(team, member))).toBe("200");
    const [device] = await devicesOf(member);
    const [confirmed] = service.callsOf("/confirm");
    const { client } = await statusOf(team, member);
    expect(device).toMatchObject({
      id: client.id,
      type: "legalhold",
      class: "legalhold",
      capabilities: ["legalhold-implicit-consent"],
    });
    expect(confirmed?.body).toMatchObject({ client_id: client.id, user_id: member.id, team_id: team.id });
    const cookie = confirmed?.body.refresh_token;
    expect(partsOf(cookie)).toMatchObject({ t: "lu", l: "", u: member.id, i: client.id });
    expect(Number(partsOf(cookie).d) - Date.now() / 1000).toBeGreaterThan(4_838_400 - 120);
    const { status, body } = await api("POST", "/access", { cookie });
    expect({ status, expires: body.expires_in }).toEqual({ status: 200, expires: 900 });
    expect(partsOf(body.access_token)).toMatchObject({ t: "la", i: client.id });
    await eventually(async () => {
      expect(await typesOf(member)).toEqual([
        "user.legalhold-request",
        "user.client-add",
        "user.legalhold-enable",
      ]);
      expect(await typesOf(friend)).toEqual(["user.legalhold-request", "user.legalhold-enable"]);
      expect(await typesOf(team.owner)).toEqual(["user.legalhold-request", "user.legalhold-enable"]);
    });
    const listed = await api("GET", `/teams/${team.id}/members/${member.id}`, { token: team.owner.token });
    expect(listed.body.legalhold_status).toBe("enabled");
    expect(outcome(await request(team, member))).toBe("409 legalhold-already-enabled");
    expect(outcome(await approve(team, member))).toBe("409 legalhold-already-enabled");
  });

  it("is made only by the user, with the right password", async () => {
    const { team, member } = await newHeldTeam();
    expect(outcome(await approve(team, member))).toBe("412 legalhold-not-pending");
    await request(team, member);
    expect(outcome(await approve(team, member, {}, team.owner))).toBe("403 access-denied");
    for (const json of [{}, { password: "wrong horse battery" }])
      expect(outcome(await approve(team, member, json))).toBe("403 access-denied");
    const stranger = await newUser();
    expect(outcome(await approve(team, stranger))).toBe("403 no-team-member");
    await switchLegalHold(team, "disabled");
    expect(outcome(await approve(team, member, {}, team.owner))).toBe("403 legalhold-not-enabled");
  });

  it("keeps the request pending when the service cannot be told, and a retry replaces the device", async () => {
    const { team, service, member } = await newHeldTeam();
    await request(team, member);
    service.answer("/confirm", { status: 404 });
    expect(outcome(await approve(team, member))).toBe("412 legalhold-unavailable");
    expect((await statusOf(team, member)).status).toBe("pending");
    expect(await devicesOf(member)).toHaveLength(1);
    const [first] = service.callsOf("/confirm");
    expect(outcome(await request(team, member))).toBe("204");
    service.answer("/confirm", {});
    expect(outcome(await approve(team, member))).toBe("200");
    const devices = await devicesOf(member);
    expect(devices).toHaveLength(1);
    expect(devices[0].id).not.toBe(first?.body.client_id);
    expect((await api("POST", "/access", { cookie: first?.body.refresh_token })).status).toBe(403);
    expect(
      (await api("POST", "/access", { cookie: service.callsOf("/confirm").at(-1)?.body.refresh_token }))
        .status,
    ).toBe(200);
    await eventually(async () =>
      expect(await typesOf(member)).toEqual([
        "user.legalhold-request",
        "user.client-add",
        "user.legalhold-enable",
        "user.legalhold-request",
        "user.client-remove",
        "user.client-add",
      ]),
    );
  });

  it("announces device and legal hold once, however often it must be repeated", async () => {
    const { team, service, member } = await newHeldTeam();
    await request(team, member);
    service.answer("/confirm", { status: 404 });
    expect(outcome(await approve(team, member))).toBe("412 legalhold-unavailable");
    const { client } = await statusOf(team, member);
    await consent(team, team.owner);
    const prekeyPath = `/v8/users/parley.localhost/${member.id}/prekeys/${client.id}`;
    const claim = async () => (await api("GET", prekeyPath, { token: team.owner.token })).body.prekey.id;
    const claimed = await claim();
    service.answer("/confirm", {});
    expect(outcome(await approve(team, member))).toBe("200");
    expect(await claim()).not.toBe(claimed);
    await eventually(async () =>
      expect(await typesOf(member)).toEqual([
        "user.legalhold-request",
        "user.client-add",
        "user.legalhold-enable",
      ]),
    );
  });

  it("requires a requested device, without which the status cannot be shown, either", async () => {
    const { team, member } = await newHeldTeam();
    await data.setStatus({ teamId: team.id, userId: member.id }, "pending");
    expect(outcome(await approve(team, member))).toBe("404 legalhold-no-device-allocated");
    const shown = await api("GET", pathOf(team, member), { token: member.token });
    expect(outcome(shown)).toBe("500 legalhold-internal");
  });

  it("sets connections with others aside until legal hold ends, and tells them", async () => {
    const { team, member } = await newHeldTeam();
    const friend = await newUser();
    await connectUsers(member, friend);
    const connection = async () =>
      (await api("GET", `/connections/${localDomain}/${friend.id}`, { token: member.token })).body.status;
    const conversation = async () =>
      outcome(
        await api("GET", `/conversations/${localDomain}/${oneToOneConversationId(member.id, friend.id)}`, {
          token: friend.token,
        }),
      );
    await request(team, member);
    expect([await connection(), await conversation()]).toEqual(["accepted", "200"]);
    expect(outcome(await approve(team, member))).toBe("200");
    const asideNow = await connection();
    expect([asideNow, await conversation()]).toEqual(["missing-legalhold-consent", "403 access-denied"]);
    expect(outcome(await end(team, member))).toBe("200");
    expect([await connection(), await conversation()]).toEqual(["accepted", "200"]);
    await eventually(async () => expect(await typesOf(friend)).toContain("user.legalhold-enable"));
  });

  it("succeeds for one of several concurrent requests", async () => {
    const { team, service, member } = await newHeldTeam();
    await request(team, member);
    const outcomes = (await Promise.all([1, 2, 3].map(() => approve(team, member)))).map(outcome);
    expect(outcomes.filter((one) => one === "200")).toHaveLength(1);
    expect(outcomes.every((one) => one === "200" || one.startsWith("409"))).toBe(true);
    expect(service.callsOf("/confirm")).toHaveLength(1);
    const cookie = service.callsOf("/confirm")[0]?.body.refresh_token;
    expect((await api("POST", "/access", { cookie })).status).toBe(200);
  });

  it("tells the service of the end when legal hold is ended meanwhile", async () => {
    const { team, service, member } = await newHeldTeam();
    await request(team, member);
    service.answer("/confirm", async () => {
      expect(outcome(await end(team, member))).toBe("200");
      return {};
    });
    expect(outcome(await approve(team, member))).toBe("412 legalhold-not-pending");
    expect(service.callsOf("/remove")).toHaveLength(2);
    expect(await devicesOf(member)).toEqual([]);
    expect((await statusOf(team, member)).status).toBe("disabled");
    const cookie = service.callsOf("/confirm")[0]?.body.refresh_token;
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
  });
});

describe.concurrent("the end of legal hold", () => {
  it("requires an admin's password, removes device, cookies and status, and returns 204 without legal hold", async () => {
    const { team, service, member, cookie, clientId } = await newHeldMember();
    expect(outcome(await end(team, member, undefined, member))).toBe("403 operation-denied");
    expect(outcome(await end(team, member, { password: "wrong horse battery" }))).toBe("403 access-denied");
    expect(outcome(await end(team, member))).toBe("200");
    expect(service.callsOf("/remove")[0]?.body).toEqual({ user_id: member.id, team_id: team.id });
    expect(await devicesOf(member)).toEqual([]);
    expect(await statusOf(team, member)).toStrictEqual({ status: "disabled" });
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
    const prekey = `/v8/users/${localDomain}/${member.id}/prekeys/${clientId}`;
    expect((await api("GET", prekey, { token: team.owner.token })).status).toBe(404);
    await eventually(async () => {
      const events = await eventsOf(member);
      expect(events).toContainEqual({ type: "user.client-remove", client: { id: clientId } });
      expect(events.at(-1)).toEqual({ type: "user.legalhold-disable", id: member.id });
    });
    expect(outcome(await end(team, member, {}))).toBe("204");
    expect(outcome(await end(team, await newUser(), {}))).toBe("204");
  });

  it("takes effect on access tokens of the device immediately, even if another one follows", async () => {
    const { team, service, member, cookie, deviceToken } = await newHeldMember();
    const { body } = await api("POST", "/access", { cookie, token: deviceToken });
    const readWith = (token: string) =>
      Promise.all(
        ["/notifications", `/users/${localDomain}/${member.id}`].map(async (path) =>
          outcome(await api("GET", path, { token })),
        ),
      );
    for (const token of [deviceToken, body.access_token])
      expect(await readWith(token)).toEqual(["200", "200"]);
    expect(outcome(await end(team, member))).toBe("200");
    expect(await readWith(deviceToken)).toEqual(["401 unauthorized", "401 unauthorized"]);

    expect(outcome(await request(team, member))).toBe("201");
    expect(outcome(await approve(team, member))).toBe("200");
    for (const token of [deviceToken, body.access_token])
      expect(await readWith(token)).toEqual(["401 unauthorized", "401 unauthorized"]);
    const next: string = service.callsOf("/confirm").at(-1)?.body.refresh_token;
    const renewed = await api("POST", "/access", { cookie: next });
    expect(await readWith(renewed.body.access_token)).toEqual(["200", "200"]);
  });

  it("withdraws a request, even if the feature is off", async () => {
    const { team, member } = await newHeldTeam();
    await request(team, member);
    expect(outcome(await end(team, member, {}))).toBe("403 access-denied");
    expect(outcome(await end(team, member))).toBe("200");
    expect(await statusOf(team, member)).toStrictEqual({ status: "disabled" });
    expect(outcome(await approve(team, member))).toBe("412 legalhold-not-pending");
    expect(outcome(await request(team, member))).toBe("201");
  });

  it("removes the device, but keeps the status, while the service cannot be told", async () => {
    const { team, service, member, cookie } = await newHeldMember();
    service.answer("/remove", { status: 400 });
    expect(outcome(await end(team, member))).toBe("412 legalhold-unavailable");
    expect(await devicesOf(member)).toEqual([]);
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
    expect((await statusOf(team, member)).status).toBe("enabled");
    service.answer("/remove", {});
    expect(outcome(await end(team, member))).toBe("200");
    expect((await statusOf(team, member)).status).toBe("disabled");
    await eventually(async () => {
      const types = await typesOf(member);
      expect(types.filter((type) => type === "user.legalhold-disable")).toHaveLength(1);
    });
  });

  it("fails on each attempt without a service to tell, after removing the device", async () => {
    const team = await newTeam();
    const member = await team.add();
    await switchLegalHold(team, "enabled");
    await data.setStatus({ teamId: team.id, userId: member.id }, "enabled");
    await putDevice(member, { clientId: "abc", type: "legalhold" });
    for (const _ of [1, 2]) {
      expect(outcome(await end(team, member))).toBe("400 legalhold-not-registered");
      expect(await devicesOf(member)).toEqual([]);
    }
  });

  it("revokes the cookies when the user is suspended, and removes everything when the user is deleted", async () => {
    const one = await newHeldMember();
    await internalApi("PUT", `/i/users/${one.member.id}/status`, { json: { status: "suspended" } });
    expect((await api("POST", "/access", { cookie: one.cookie })).status).toBe(403);

    const { team, service, member, cookie, clientId } = await newHeldMember();
    expect(outcome(await removeMember(team, team.owner, member))).toBe("202");
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
    expect(outcome(await api("GET", pathOf(team, member), { token: team.owner.token }))).toBe(
      "404 no-team-member",
    );
    await eventually(async () => {
      const path = `/v8/users/parley.localhost/${member.id}/clients/${clientId}`;
      expect((await api("GET", path, { token: team.owner.token })).status).toBe(404);
    });
    expect(service.callsOf("/remove")).toEqual([]);
  });
});

describe.concurrent("a legal hold device", () => {
  it("may read notifications, users and single conversations, and nothing else", async () => {
    const { member, team, deviceToken: token } = await newHeldMember();
    const { id: conversationId } = await conversations.newConversation([member, team.owner]);
    const allowed = [
      "/v8/notifications?size=100",
      `/v1/users/${member.id}`,
      `/v8/users/parley.localhost/${member.id}`,
      `/v8/users/parley.localhost/${member.id}/clients`,
      `/v8/conversations/${conversationId}`,
      `/v8/conversations/parley.localhost/${conversationId}`,
      `/v1/legalhold/conversations/${conversationId}`,
    ];
    const answers = await Promise.all(allowed.map((path) => api("GET", path, { token })));
    expect(answers.map(({ status }) => status)).toEqual(allowed.map(() => 200));
    const refused = ["/self", "/v8/clients", "/cookies", "/v1/connections", `/teams/${team.id}/members`];
    const refusals = await Promise.all(refused.map((path) => api("GET", path, { token })));
    expect(refusals.map(({ status }) => status)).toEqual(refused.map(() => 403));
    const claim = await api("GET", `/v8/users/parley.localhost/${member.id}/prekeys`, { token });
    expect(claim.status).toBe(403);
  });

  it("does not share cookies and tokens with its user", async () => {
    const { member, cookie, deviceToken, clientId } = await newHeldMember();
    const mixtures = [
      { cookie, token: member.token },
      { cookie: member.cookie, token: deviceToken },
    ];
    for (const mixture of mixtures)
      expect(outcome(await api("POST", "/access", mixture))).toBe("403 invalid-credentials");
    expect((await api("POST", "/access", { cookie, token: deviceToken })).status).toBe(200);
    expect((await api("POST", "/access/logout", { cookie, token: deviceToken })).status).toBe(403);
    const tying = await api("POST", `/access?client_id=${clientId}`, { cookie: member.cookie });
    expect(outcome(tying)).toBe("403 unknown-client");
    const { body } = await api("GET", "/cookies", { token: member.token });
    expect(body.cookies).toHaveLength(1);
  });

  it("keeps its cookie when its user revokes all cookies or logs in often", async () => {
    const { member, cookie } = await newHeldMember();
    const json = { email: member.email, password: somePassword };
    expect(outcome(await api("POST", "/cookies/remove", { token: member.token, json }))).toBe("200");
    await logIn(member);
    expect((await api("POST", "/access", { cookie })).status).toBe(200);
  });

  it("cannot be created, changed or removed by its user, and does not count", async () => {
    const { member, clientId } = await newHeldMember();
    const { token } = member;
    const remove = await api("DELETE", `/v8/clients/${clientId}`, {
      token,
      json: { password: somePassword },
    });
    expect(outcome(remove)).toBe("400 client-error");
    const change = await api("PUT", `/v8/clients/${clientId}`, { token, json: { label: "mine" } });
    expect(outcome(change)).toBe("400 client-error");
    expect(outcome(await registerDevice(member, { type: "legalhold" }))).toBe("400 client-error");
    const { setUserMaxPermClients: limit } = parseSettings(testSettings);
    const own = await Promise.all(Array.from({ length: limit }, () => registerDevice(member, withPassword)));
    expect(own.map(outcome)).toEqual(own.map(() => "201"));
    expect(outcome(await registerDevice(member, withPassword))).toBe("403 too-many-clients");
  });

  it("is removed by the operator, which ends legal hold without telling the service", async () => {
    const { team, service, member, cookie } = await newHeldMember();
    const path = `/i/clients/legalhold/${member.id}`;
    for (const _ of [1, 2]) expect(outcome(await internalApi("DELETE", path))).toBe("200");
    expect(await devicesOf(member)).toEqual([]);
    expect(await statusOf(team, member)).toStrictEqual({ status: "disabled" });
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
    expect(service.callsOf("/remove")).toEqual([]);
  });

  it("is announced when the operator sets it", async () => {
    const { lastkey } = newDevice();
    const user = await newUser();
    const json = { requester: user.id, last_prekey: lastkey };
    const path = `/i/clients/legalhold/${user.id}/request`;
    expect(outcome(await internalApi("POST", path, { json }))).toBe("200");
    const event = { id: user.id, last_prekey: lastkey, client: { id: deviceIdOf(lastkey) } };
    await eventually(async () =>
      expect(await eventsOf(user)).toContainEqual({ type: "user.legalhold-request", ...event }),
    );
  });

  it("logs in through the internal API, with the user's password", async () => {
    const { team, member } = await newHeldTeam();
    const logInAs = (user: string, password?: string) =>
      internalApi("POST", "/i/legalhold-login?persist=true", { json: { user, password } });
    const { status, body, cookie } = await logInAs(member.id, somePassword);
    expect([status, partsOf(body.access_token).t, partsOf(cookie).t]).toEqual([200, "la", "lu"]);
    expect((await api("POST", "/access", { cookie })).status).toBe(200);
    expect(outcome(await logInAs(member.id, "wrong horse battery"))).toBe("403 invalid-credentials");
    expect(outcome(await logInAs(team.id))).toBe("404 not-found");
    expect(outcome(await logInAs((await newUser()).id, somePassword))).toBe("403 no-binding-team");
    await switchLegalHold(team, "disabled");
    expect(outcome(await logInAs(member.id, somePassword))).toBe("403 legalhold-not-enabled");
  });
});

describe("the legal hold of a member, with faults and as time passes", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith({}, { isClockStopped: true });
  });

  it("is shown correctly when it changes during the read", async () => {
    const { team, service, member } = await newHeldTeam(stack);
    await request(team, member, team.owner, stack.publicApi);
    let isTorn = false;
    const endTear = interceptAwsCalls(async (call, send) => {
      const answer = await send();
      if (isTorn || call.action !== "BatchGetItem" || !call.body.includes(member.id)) return answer;
      isTorn = true;
      const read = (await json(answer.response.body)) as {
        Responses: Record<string, { entry?: { S: string } }[]>;
      };
      const withoutDevice = Object.entries(read.Responses).map(([table, items]) => [
        table,
        items.filter(({ entry }) => entry?.S !== "legal-hold"),
      ]);
      return awsAnswer(200, { ...read, Responses: Object.fromEntries(withoutDevice) });
    });
    const shown = await statusOf(team, member, member, stack.publicApi).finally(endTear);
    expect(isTorn).toBe(true);
    expect(shown).toMatchObject({ status: "pending", last_prekey: service.devices[0]?.last_prekey });
  });

  it("gives its device a cookie that is renewed like others, remains one of legal hold, and ends with it", async () => {
    const { publicApi } = stack;
    const { team, service, member } = await newHeldTeam(stack);
    await request(team, member, team.owner, publicApi);
    expect(outcome(await approve(team, member, withPassword, member, publicApi))).toBe("200");
    const [confirmed] = service.callsOf("/confirm");
    const { refresh_token: cookie, client_id: clientId } = Object(confirmed?.body);
    const access = (value: string | undefined) => publicApi("POST", "/access", { cookie: value });
    const renewAgeSeconds = 14 * 86_400;
    stack.advance(renewAgeSeconds);
    const renewed = await access(cookie);
    expect(renewed.status).toBe(200);
    expect(partsOf(renewed.body.access_token)).toMatchObject({ t: "la", i: clientId });
    expect(partsOf(String(renewed.cookie))).toMatchObject({ t: "lu", i: clientId });
    expect((await access(cookie)).status).toBe(200);
    stack.advance(renewAgeSeconds);
    expect((await access(cookie)).status).toBe(403);
    expect((await access(renewed.cookie)).status).toBe(200);
    const { body } = await logIn(team.owner, { apis: stack });
    const owner = { ...team.owner, token: body.access_token };
    expect(outcome(await end(team, member, withPassword, owner, publicApi))).toBe("200");
    expect((await access(renewed.cookie)).status).toBe(403);
  });

  it.each([
    ["conflicts with others", ["conflicts"]],
    ["fails until the SDK gives up", ["failed", "failed"]],
  ] satisfies [string, Fault[]][])(
    "is requested, approved and ended once when answers get lost and the repeated transaction %s",
    async (_, repetitions) => {
      const { publicApi } = stack;
      const { team, service, member } = await newHeldTeam(stack);
      const { owner } = team;
      const losing = async (step: () => Promise<ApiAnswer>) =>
        outcome(await withLostAnswers(step, { repetitions }));
      const state = async () => {
        const { status } = await statusOf(team, member, member, publicApi);
        return [status, (await devicesOf(member, publicApi)).length, service.callsOf("/remove").length];
      };
      expect(await losing(() => request(team, member, owner, publicApi))).toBe("201");
      expect(await state()).toEqual(["pending", 0, 0]);
      expect(await losing(() => approve(team, member, withPassword, member, publicApi))).toBe("200");
      expect(await state()).toEqual(["enabled", 1, 0]);
      expect(await losing(() => end(team, member, withPassword, owner, publicApi))).toBe("200");
      expect(await state()).toEqual(["disabled", 0, 1]);
    },
  );

  it("can be requested again immediately after a request that got no answer from DynamoDB", async () => {
    const { publicApi } = stack;
    const { team, member } = await newHeldTeam(stack);
    const ask = () => request(team, member, team.owner, publicApi);
    const faults = Array.from({ length: 6 }, () => "answer-lost" as const);
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes("heldUntil") ? faults.shift() : undefined,
    );
    expect(outcome(await ask().finally(endFaults))).toBe("503 service-unavailable");
    expect(outcome(await ask())).toBe("201");
  });

  it("stays unchanged when a function dies between the service's answer and the commit, until a repetition 20 s later", async () => {
    const { publicApi } = stack;
    const { team, service, member } = await newHeldTeam(stack);
    const { owner } = team;
    const ask = () => request(team, member, owner, publicApi);
    const agree = () => approve(team, member, withPassword, member, publicApi);
    const stop = () => end(team, member, withPassword, owner, publicApi);
    const status = async () => (await statusOf(team, member, member, publicApi)).status;
    const devices = () => devicesOf(member, publicApi);
    const dyingAfter = async (path: string, step: () => Promise<ApiAnswer>) => {
      const before = service.callsOf(path).length;
      const endFaults = injectFaults(({ action }) =>
        action === "TransactWriteItems" && service.callsOf(path).length > before ? "dies-before" : undefined,
      );
      return (await step().finally(endFaults)).status;
    };

    expect(await dyingAfter("/initiate", ask)).toBe(500);
    expect(await status()).toBe("disabled");
    stack.advance(19);
    expect(outcome(await ask())).toBe("409 concurrent-change");
    stack.advance(1);
    expect(outcome(await ask())).toBe("201");

    expect(await dyingAfter("/confirm", agree)).toBe(500);
    expect(await status()).toBe("pending");
    stack.advance(20);
    expect(outcome(await agree())).toBe("200");
    expect(await devices()).toHaveLength(1);

    expect(await dyingAfter("/remove", stop)).toBe(500);
    expect([await status(), (await devices()).length]).toEqual(["enabled", 1]);
    expect(outcome(await stop())).toBe("200");
    expect([await status(), (await devices()).length]).toEqual(["disabled", 0]);
  });
});

describe("teams on the operator's list", () => {
  it("count as their members' consent, in every list", async () => {
    const stack = await stackWith({ legalhold: "whitelist-teams-and-implicit-consent" });
    const team = await newTeam({}, stack);
    const { token } = team.owner;
    const member = await team.add();
    const shown = async () => {
      const [list, one, own] = await Promise.all([
        stack.publicApi("GET", `/teams/${team.id}/members`, { token }),
        stack.publicApi("GET", `/teams/${team.id}/members/${member.id}`, { token }),
        stack.publicApi("GET", `/teams/${team.id}/legalhold/${member.id}`, { token }),
      ]);
      const [first] = list.body.members;
      return [first.legalhold_status, one.body.legalhold_status, own.body.status];
    };
    expect(await shown()).toEqual(["no_consent", "no_consent", "no_consent"]);
    const listed = await stack.internalApi("PUT", `/i/legalhold/whitelisted-teams/${team.id}`);
    expect(listed.status).toBe(200);
    expect(await shown()).toEqual(["disabled", "disabled", "disabled"]);
    const consented = await stack.publicApi("POST", `/teams/${team.id}/legalhold/consent`, {
      token: member.token,
    });
    expect(outcome(consented)).toBe("204");
  });
});
