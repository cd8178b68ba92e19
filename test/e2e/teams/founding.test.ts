import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { nextMessage } from "../../support/messages.ts";
import { newTeam } from "../../support/teams.ts";
import {
  activate,
  newEmail,
  newPhone,
  newUser,
  register,
  registeredUser,
  somePassword,
} from "../../support/users.ts";

const team = { name: "Engines", icon: "default", icon_key: "key", currency: "EUR" };

const statusOf = async (teamId: string) => (await internalApi("GET", `/i/teams/${teamId}`)).body.status;

/** Register with a team. @returns the answer and an access token */
async function found(fields: Record<string, unknown> = {}) {
  const email = newEmail();
  const answer = await register({ email, password: somePassword, team, ...fields });
  const access = await api("POST", "/access", { cookie: answer.cookie });
  return { answer, email, id: answer.body.id, teamId: answer.body.team, token: access.body.access_token };
}

describe.concurrent("registration with a team", () => {
  it("founds it with the new user as owner, who gets team.create", async () => {
    const { answer, id, teamId, token } = await found();
    expect(answer.status).toBe(201);
    const view = {
      id: teamId,
      creator: id,
      name: "Engines",
      icon: "default",
      icon_key: "key",
      splash_screen: "default",
      binding: true,
    };
    expect((await api("GET", `/teams/${teamId}`, { token })).body).toEqual(view);
    const { body } = await api("GET", `/teams/${teamId}/members/${id}`, { token });
    expect(body).toMatchObject({
      permissions: { self: 8191, copy: 8191 },
      created_by: null,
      created_at: null,
    });
    await eventually(async () => {
      expect(await storedEvents(token, "team.create")).toEqual([
        { type: "team.create", team: teamId, time: expect.any(String), data: view },
      ]);
    });
  });

  it("mails a code with the name of the team, also when it is requested again", async () => {
    const { email } = await found({ team: { ...team, name: "Babbage & Co" } });
    const first = await nextMessage(email, { purpose: "Activation" });
    expect(first.text).toContain("New team: Babbage");
    expect(first.headers).toMatchObject({
      "X-Svc-Key": expect.any(String),
      "X-Svc-Code": expect.any(String),
    });
    expect((await api("POST", "/activate/send", { json: { email } })).status).toBe(200);
    const again = await nextMessage(email, { purpose: "Activation", count: 2 });
    expect(again.text).toContain("New team: Babbage");
    expect(again.headers["X-Svc-Code"]).toBe(first.headers["X-Svc-Code"]);
  });

  it("leaves the team pending until its founder activates the account", async () => {
    const { email, teamId } = await found();
    expect(await statusOf(teamId)).toBe("pending_active");
    expect((await activate({ email })).status).toBe(200);
    expect(await statusOf(teamId)).toBe("active");
  });

  it("activates the team immediately when the registration has the code", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { headers } = await nextMessage(email, { purpose: "Verification" });
    const { body } = await register({
      email,
      email_code: headers["X-Svc-Code"],
      password: somePassword,
      team,
    });
    expect(await statusOf(body.team)).toBe("active");
  });

  it("keeps the status of a team that the operator has activated when its founder activates the account", async () => {
    const { email, teamId } = await found();
    const path = `/i/teams/${teamId}/status`;
    expect((await internalApi("PUT", path, { json: { status: "active", currency: "EUR" } })).status).toBe(
      200,
    );
    expect((await activate({ email })).status).toBe(200);
    expect(await statusOf(teamId)).toBe("active");
  });

  it("activates neither account nor team with a wrong code", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const refused = await register({ email, email_code: "000000", password: somePassword, team });
    expect(outcome(refused)).toBe("404 invalid-code");
  });

  it("refuses a founder without a password or without an address", async () => {
    expect(outcome(await register({ email: newEmail(), team }))).toBe("400 bad-request");
    expect(outcome(await register({ password: somePassword, team }))).toBe("403 missing-identity");
  });

  it("is allowed for a founder with only a phone number", async () => {
    const phone = newPhone();
    const answer = await register({ phone, password: somePassword, team });
    expect(answer.status).toBe(201);
    expect((await activate({ phone })).status).toBe(200);
  });
});

const upgrade = (token: string, body: object = team) =>
  api("POST", "/v7/upgrade-personal-to-team", { token, json: body });

describe.concurrent("upgrading a personal account", () => {
  it("founds an active team, and keeps devices and connections", async () => {
    const [user, contact] = await Promise.all([newUser({ name: "Ada" }), newUser()]);
    await connectUsers(user, contact);
    const { status, body } = await upgrade(user.token);
    expect({ status, body }).toEqual({
      status: 200,
      body: { team_id: expect.any(String), team_name: "Engines" },
    });
    const { team_id: teamId } = body;
    expect(await statusOf(teamId)).toBe("active");
    expect((await api("GET", "/self", { token: user.token })).body.team).toBe(teamId);
    const { body: member } = await api("GET", `/teams/${teamId}/members/${user.id}`, { token: user.token });
    expect(member.permissions).toEqual({ self: 8191, copy: 8191 });
    const { body: connections } = await api("POST", "/list-connections", { token: user.token, json: {} });
    expect(connections.connections).toMatchObject([{ status: "accepted" }]);
  });

  it("sends team.create to the user, and user.update with the team to user and contacts", async () => {
    const [user, contact, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    await connectUsers(user, contact);
    const { team_id: teamId } = (await upgrade(user.token)).body;
    const update = { type: "user.update", user: { id: user.id, team: teamId, sso_id_deleted: false } };
    await eventually(async () => {
      expect(await storedEvents(user.token, "team.create")).toMatchObject([{ team: teamId }]);
      expect(await storedEvents(user.token, "user.update")).toEqual([update]);
      expect(await storedEvents(contact.token, "user.update")).toEqual([update]);
    });
    expect(await storedEvents(contact.token, "team.create")).toEqual([]);
    expect(await storedEvents(stranger.token, "user.update")).toEqual([]);
  });

  it("sends a welcome mail that names user and team", async () => {
    const user = await registeredUser({ name: "Ada Lovelace" });
    const { team_id: teamId } = (await upgrade(user.token)).body;
    const { text } = await nextMessage(user.email, { purpose: "Welcome" });
    for (const fact of ["Ada Lovelace", user.email, "Engines", teamId]) expect(text).toContain(fact);
  });

  it("is refused to a user with a team", async () => {
    const [user, other] = await Promise.all([newUser(), newTeam()]);
    const member = await other.add();
    expect((await upgrade(user.token)).status).toBe(200);
    for (const { token } of [user, other.owner, member]) {
      expect(outcome(await upgrade(token))).toBe("403 user-already-in-a-team");
    }
  });

  it("founds one team when repeated concurrently", async () => {
    const user = await newUser();
    const answers = await Promise.all(Array.from({ length: 5 }, () => upgrade(user.token)));
    const outcomes = answers.map(outcome).toSorted();
    expect(outcomes).toEqual(["200", ...Array(4).fill("403 user-already-in-a-team")]);
    const teamId = answers.find(({ status }) => status === 200)?.body.team_id;
    expect((await api("GET", "/self", { token: user.token })).body.team).toBe(teamId);
    await eventually(async () => {
      expect(await storedEvents(user.token, "team.create")).toMatchObject([{ team: teamId }]);
    });
  });

  it("is refused to accounts that are not active", async () => {
    const [anonymous, unconfirmed] = await Promise.all([
      register({}),
      register({ email: newEmail(), password: somePassword }),
    ]);
    for (const { cookie } of [anonymous, unconfirmed]) {
      const { body } = await api("POST", "/access", { cookie });
      expect(outcome(await upgrade(body.access_token))).toBe("404 not-found");
    }
    const suspended = await newUser();
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await upgrade(suspended.token))).toBe("404 not-found");
  });

  it("does not exist before version 7", async () => {
    const { token } = await newUser();
    expect(outcome(await api("POST", "/v6/upgrade-personal-to-team", { token, json: team }))).toBe(
      "404 no-endpoint",
    );
  });
});

describe.concurrent("a team founded by the operator", () => {
  const put = (teamId: string, userId: string) =>
    internalApi("PUT", `/i/teams/${teamId}`, { headers: { "Z-User": userId }, json: team });

  it("has the given id, and is pending", async () => {
    const [user, teamId] = [await newUser(), randomUUID()];
    const { status, headers } = await put(teamId, user.id);
    expect({ status, location: headers.get("location") }).toEqual({ status: 201, location: teamId });
    expect((await put(teamId, user.id)).status).toBe(201);
    expect(await statusOf(teamId)).toBe("pending_active");
    expect((await api("GET", `/teams/${teamId}`, { token: user.token })).body.creator).toBe(user.id);
    await eventually(async () => {
      expect(await storedEvents(user.token, "team.create")).toMatchObject([{ team: teamId }]);
    });
  });

  it("cannot have the id of another team, or a founder with a team", async () => {
    const [user, other] = await Promise.all([newUser(), newTeam()]);
    expect(outcome(await put(other.id, user.id))).toBe("409 key-exists");
    expect(outcome(await put(randomUUID(), other.owner.id))).toBe("403 user-already-in-a-team");
    expect(outcome(await put(randomUUID(), randomUUID()))).toBe("404 not-found");
  });
});

describe.concurrent("non-binding teams", () => {
  it("are refused in version 3, and unknown in version 4", async () => {
    const { token } = await newUser();
    const json = { name: "Engines", icon: "default" };
    expect(outcome(await api("POST", "/v3/teams", { token, json }))).toBe("400 invalid-actions");
    expect(outcome(await api("POST", "/v4/teams", { token, json }))).toBe("404 no-endpoint");
    const bad = [{ name: "Engines" }, { ...json, members: [] }, { ...json, icon: "x" }];
    for (const body of bad) {
      expect(outcome(await api("POST", "/v3/teams", { token, json: body }))).toBe("400 bad-request");
    }
  });

  it("are replaced by the user's own team in the list of version 3", async () => {
    const [own, person] = await Promise.all([newTeam(), newUser()]);
    const { token } = await own.add("partner");
    const list = await api("GET", "/v3/teams?ids=x&start=y&size=100", { token });
    expect(list.body).toEqual({
      teams: [expect.objectContaining({ id: own.id, name: own.name, binding: true })],
      has_more: false,
    });
    expect((await api("GET", "/v3/teams", { token: person.token })).body).toEqual({
      teams: [],
      has_more: false,
    });
    for (const size of [0, 101, "x"]) {
      expect(outcome(await api("GET", `/v3/teams?size=${size}`, { token }))).toBe("400 bad-request");
    }
    expect(outcome(await api("GET", "/v4/teams", { token }))).toBe("404 no-endpoint");
  });
});
