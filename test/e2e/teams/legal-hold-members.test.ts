import { describe, expect, it } from "vitest";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { deviceIdOf } from "#shared/devices/prekey.ts";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { newDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { legalHoldData, switchLegalHold } from "../../support/legal-hold.ts";
import {
  approveLegalHold,
  consentToLegalHold,
  devicesOf,
  endLegalHold,
  eventsOf,
  legalHoldPath,
  legalHoldStatusOf,
  newHeldTeam,
  requestLegalHold,
  typesOf,
} from "../../support/legal-hold-members.ts";
import { lastPrekey, newPrekeys } from "../../support/prekeys.ts";
import { stackWith } from "../../support/stack-with.ts";
import { changePermissions, newTeam } from "../../support/teams.ts";
import { partsOf } from "../../support/tokens.ts";
import { newUser } from "../../support/users.ts";

const data = legalHoldData();
const conversations = conversationData();

describe.concurrent("consent", () => {
  it("is given once; repeating it returns 204", async () => {
    const team = await newTeam();
    const member = await team.add();
    expect(await legalHoldStatusOf(team, member)).toStrictEqual({ status: "no_consent" });
    expect(outcome(await consentToLegalHold(team, member))).toBe("201");
    expect(outcome(await consentToLegalHold(team, member))).toBe("204");
    expect(await legalHoldStatusOf(team, member, await newUser())).toStrictEqual({ status: "disabled" });
    expect(await data.statusOf({ teamId: team.id, userId: member.id })).toEqual({
      member: "disabled",
      account: "disabled",
    });
  });

  it("is for members of the team", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    expect(outcome(await consentToLegalHold(team, stranger))).toBe("404 no-team-member");
    expect(outcome(await api("GET", legalHoldPath(team, stranger), { token: stranger.token }))).toBe(
      "404 no-team-member",
    );
  });

  it("is kept by a change of permissions that was decided earlier", async () => {
    const team = await newTeam();
    const member = await team.add();
    const permissions = { self: 5951, copy: 5951 };
    const [consented, changed] = await Promise.all([
      consentToLegalHold(team, member),
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
    expect(outcome(await requestLegalHold(team, hesitant))).toBe("409 legalhold-no-consent");
    expect(outcome(await requestLegalHold(team, member))).toBe("201");
    expect(outcome(await requestLegalHold(team, member))).toBe("204");
    const [, { last_prekey } = { last_prekey: { id: 0, key: "" } }] = service.devices;
    const client = { id: deviceIdOf(last_prekey) };
    expect(await legalHoldStatusOf(team, member)).toStrictEqual({ status: "pending", last_prekey, client });
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
    expect(outcome(await requestLegalHold(team, member, other))).toBe("403 legalhold-not-enabled");
    await switchLegalHold(team, "enabled");
    expect(outcome(await requestLegalHold(team, member, other))).toBe("403 no-team-member");
    expect(outcome(await requestLegalHold(team, other, member))).toBe("403 operation-denied");
    expect(outcome(await requestLegalHold(team, other, admin))).toBe("404 no-team-member");
    expect(outcome(await requestLegalHold(team, member, admin))).toBe("409 legalhold-no-consent");
    await consentToLegalHold(team, member);
    expect(outcome(await requestLegalHold(team, member, admin))).toBe("400 legalhold-not-registered");
    await conversations.newConversation([member], {
      protocol: "mls",
      group: { groupId: "AAAA", epoch: 0 },
    });
    expect(outcome(await requestLegalHold(team, member, admin))).toBe("409 mls-legal-hold-not-allowed");
  });

  it("is refused for members of MLS groups, but not for those with a self conversation in MLS", async () => {
    const { team, member } = await newHeldTeam();
    expect((await api("GET", "/v8/conversations/mls-self", { token: member.token })).status).toBe(200);
    expect(outcome(await requestLegalHold(team, member))).toBe("201");
  });

  it("changes nothing when the service fails or answers wrongly", async () => {
    const { team, service, member } = await newHeldTeam();
    service.answer("/initiate", { status: 400 });
    expect(outcome(await requestLegalHold(team, member))).toBe("412 legalhold-unavailable");
    service.answer("/initiate", { body: { prekeys: [] } });
    expect(outcome(await requestLegalHold(team, member))).toBe("400 legalhold-status-bad");
    expect(await legalHoldStatusOf(team, member)).toStrictEqual({ status: "disabled" });
    expect(await typesOf(member)).toEqual([]);
  });

  it("is refused when its device would replace one of the user's", async () => {
    const { team, service, member } = await newHeldTeam();
    const own = newDevice();
    expect((await api("POST", "/v8/clients", { token: member.token, json: own })).status).toBe(201);
    service.answer("/initiate", { body: { prekeys: own.prekeys, last_prekey: own.lastkey } });
    expect(outcome(await requestLegalHold(team, member))).toBe("400 legalhold-status-bad");
  });

  it("goes to the service once when two admins send it concurrently", async () => {
    const { team, service, member } = await newHeldTeam();
    const admin = await team.add("admin");
    const device = { prekeys: newPrekeys(3), last_prekey: lastPrekey() };
    let second: ApiAnswer | undefined;
    service.answer("/initiate", async () => {
      second = await requestLegalHold(team, member, admin);
      return { body: device };
    });
    const first = await requestLegalHold(team, member);
    expect([first, second].map((answer) => answer && outcome(answer))).toEqual([
      "201",
      "409 concurrent-change",
    ]);
    expect(service.callsOf("/initiate")).toHaveLength(1);
    expect((await legalHoldStatusOf(team, member)).last_prekey).toEqual(device.last_prekey);
  });
});

describe.concurrent("an approval", () => {
  it("adds the device, and gives the service a cookie for access tokens", async () => {
    const { team, service, member } = await newHeldTeam();
    const friend = await newUser();
    await connectUsers(member, friend);
    await requestLegalHold(team, member);
    expect(outcome(await approveLegalHold(team, member))).toBe("200");
    const [device] = await devicesOf(member);
    const [confirmed] = service.callsOf("/confirm");
    const { client } = await legalHoldStatusOf(team, member);
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
    expect(outcome(await requestLegalHold(team, member))).toBe("409 legalhold-already-enabled");
    expect(outcome(await approveLegalHold(team, member))).toBe("409 legalhold-already-enabled");
  });

  it("is made only by the user, with the right password", async () => {
    const { team, member } = await newHeldTeam();
    expect(outcome(await approveLegalHold(team, member))).toBe("412 legalhold-not-pending");
    await requestLegalHold(team, member);
    expect(outcome(await approveLegalHold(team, member, {}, team.owner))).toBe("403 access-denied");
    for (const json of [{}, { password: "wrong horse battery" }])
      expect(outcome(await approveLegalHold(team, member, json))).toBe("403 access-denied");
    const stranger = await newUser();
    expect(outcome(await approveLegalHold(team, stranger))).toBe("403 no-team-member");
    await switchLegalHold(team, "disabled");
    expect(outcome(await approveLegalHold(team, member, {}, team.owner))).toBe("403 legalhold-not-enabled");
  });

  it("keeps the request pending when the service cannot be told, and a retry replaces the device", async () => {
    const { team, service, member } = await newHeldTeam();
    await requestLegalHold(team, member);
    service.answer("/confirm", { status: 404 });
    expect(outcome(await approveLegalHold(team, member))).toBe("412 legalhold-unavailable");
    expect((await legalHoldStatusOf(team, member)).status).toBe("pending");
    expect(await devicesOf(member)).toHaveLength(1);
    const [first] = service.callsOf("/confirm");
    expect(outcome(await requestLegalHold(team, member))).toBe("204");
    service.answer("/confirm", {});
    expect(outcome(await approveLegalHold(team, member))).toBe("200");
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
    await requestLegalHold(team, member);
    service.answer("/confirm", { status: 404 });
    expect(outcome(await approveLegalHold(team, member))).toBe("412 legalhold-unavailable");
    const { client } = await legalHoldStatusOf(team, member);
    await consentToLegalHold(team, team.owner);
    const prekeyPath = `/v8/users/parley.localhost/${member.id}/prekeys/${client.id}`;
    const claim = async () => (await api("GET", prekeyPath, { token: team.owner.token })).body.prekey.id;
    const claimed = await claim();
    service.answer("/confirm", {});
    expect(outcome(await approveLegalHold(team, member))).toBe("200");
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
    expect(outcome(await approveLegalHold(team, member))).toBe("404 legalhold-no-device-allocated");
    const shown = await api("GET", legalHoldPath(team, member), { token: member.token });
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
    await requestLegalHold(team, member);
    expect([await connection(), await conversation()]).toEqual(["accepted", "200"]);
    expect(outcome(await approveLegalHold(team, member))).toBe("200");
    const asideNow = await connection();
    expect([asideNow, await conversation()]).toEqual(["missing-legalhold-consent", "403 access-denied"]);
    expect(outcome(await endLegalHold(team, member))).toBe("200");
    expect([await connection(), await conversation()]).toEqual(["accepted", "200"]);
    await eventually(async () => expect(await typesOf(friend)).toContain("user.legalhold-enable"));
  });

  it("succeeds for one of several concurrent requests", async () => {
    const { team, service, member } = await newHeldTeam();
    await requestLegalHold(team, member);
    const outcomes = (await Promise.all([1, 2, 3].map(() => approveLegalHold(team, member)))).map(outcome);
    expect(outcomes.filter((one) => one === "200")).toHaveLength(1);
    expect(outcomes.every((one) => one === "200" || one.startsWith("409"))).toBe(true);
    expect(service.callsOf("/confirm")).toHaveLength(1);
    const cookie = service.callsOf("/confirm")[0]?.body.refresh_token;
    expect((await api("POST", "/access", { cookie })).status).toBe(200);
  });

  it("tells the service of the end when legal hold is ended meanwhile", async () => {
    const { team, service, member } = await newHeldTeam();
    await requestLegalHold(team, member);
    service.answer("/confirm", async () => {
      expect(outcome(await endLegalHold(team, member))).toBe("200");
      return {};
    });
    expect(outcome(await approveLegalHold(team, member))).toBe("412 legalhold-not-pending");
    expect(service.callsOf("/remove")).toHaveLength(2);
    expect(await devicesOf(member)).toEqual([]);
    expect((await legalHoldStatusOf(team, member)).status).toBe("disabled");
    const cookie = service.callsOf("/confirm")[0]?.body.refresh_token;
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
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
