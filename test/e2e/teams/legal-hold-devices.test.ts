import { describe, expect, it } from "vitest";
import { deviceIdOf } from "#shared/devices/prekey.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { newDevice, putDevice, registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { legalHoldData, switchLegalHold } from "../../support/legal-hold.ts";
import {
  approveLegalHold,
  devicesOf,
  endLegalHold,
  eventsOf,
  legalHoldPath,
  legalHoldStatusOf,
  newHeldMember,
  newHeldTeam,
  requestLegalHold,
  typesOf,
  withPassword,
} from "../../support/legal-hold-members.ts";
import { newTeam, removeMember } from "../../support/teams.ts";
import { testSettings } from "../../support/test-settings.ts";
import { partsOf } from "../../support/tokens.ts";
import { logIn, newUser, somePassword } from "../../support/users.ts";

const data = legalHoldData();
const conversations = conversationData();

describe.concurrent("the end of legal hold", () => {
  it("requires an admin's password, removes device, cookies and status, and returns 204 without legal hold", async () => {
    const { team, service, member, cookie, clientId } = await newHeldMember();
    expect(outcome(await endLegalHold(team, member, undefined, member))).toBe("403 operation-denied");
    expect(outcome(await endLegalHold(team, member, { password: "wrong horse battery" }))).toBe(
      "403 access-denied",
    );
    expect(outcome(await endLegalHold(team, member))).toBe("200");
    expect(service.callsOf("/remove")[0]?.body).toEqual({ user_id: member.id, team_id: team.id });
    expect(await devicesOf(member)).toEqual([]);
    expect(await legalHoldStatusOf(team, member)).toStrictEqual({ status: "disabled" });
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
    const prekey = `/v8/users/${localDomain}/${member.id}/prekeys/${clientId}`;
    expect((await api("GET", prekey, { token: team.owner.token })).status).toBe(404);
    await eventually(async () => {
      const events = await eventsOf(member);
      expect(events).toContainEqual({ type: "user.client-remove", client: { id: clientId } });
      expect(events.at(-1)).toEqual({ type: "user.legalhold-disable", id: member.id });
    });
    expect(outcome(await endLegalHold(team, member, {}))).toBe("204");
    expect(outcome(await endLegalHold(team, await newUser(), {}))).toBe("204");
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
    expect(outcome(await endLegalHold(team, member))).toBe("200");
    expect(await readWith(deviceToken)).toEqual(["401 unauthorized", "401 unauthorized"]);

    expect(outcome(await requestLegalHold(team, member))).toBe("201");
    expect(outcome(await approveLegalHold(team, member))).toBe("200");
    for (const token of [deviceToken, body.access_token])
      expect(await readWith(token)).toEqual(["401 unauthorized", "401 unauthorized"]);
    const next: string = service.callsOf("/confirm").at(-1)?.body.refresh_token;
    const renewed = await api("POST", "/access", { cookie: next });
    expect(await readWith(renewed.body.access_token)).toEqual(["200", "200"]);
  });

  it("withdraws a request, even if the feature is off", async () => {
    const { team, member } = await newHeldTeam();
    await requestLegalHold(team, member);
    expect(outcome(await endLegalHold(team, member, {}))).toBe("403 access-denied");
    expect(outcome(await endLegalHold(team, member))).toBe("200");
    expect(await legalHoldStatusOf(team, member)).toStrictEqual({ status: "disabled" });
    expect(outcome(await approveLegalHold(team, member))).toBe("412 legalhold-not-pending");
    expect(outcome(await requestLegalHold(team, member))).toBe("201");
  });

  it("removes the device, but keeps the status, while the service cannot be told", async () => {
    const { team, service, member, cookie } = await newHeldMember();
    service.answer("/remove", { status: 400 });
    expect(outcome(await endLegalHold(team, member))).toBe("412 legalhold-unavailable");
    expect(await devicesOf(member)).toEqual([]);
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
    expect((await legalHoldStatusOf(team, member)).status).toBe("enabled");
    service.answer("/remove", {});
    expect(outcome(await endLegalHold(team, member))).toBe("200");
    expect((await legalHoldStatusOf(team, member)).status).toBe("disabled");
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
      expect(outcome(await endLegalHold(team, member))).toBe("400 legalhold-not-registered");
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
    expect(outcome(await api("GET", legalHoldPath(team, member), { token: team.owner.token }))).toBe(
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
    expect(await legalHoldStatusOf(team, member)).toStrictEqual({ status: "disabled" });
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
