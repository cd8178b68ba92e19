import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { accept, invite, newInvitation } from "../../support/invitations.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import {
  activate,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  somePassword,
  type User,
} from "../../support/users.ts";

const memberOf = (team: Team, userId: string) =>
  api("GET", `/teams/${team.id}/members/${userId}`, { token: team.owner.token });
const invitationsOf = async (team: Team) =>
  (await api("GET", `/teams/${team.id}/invitations`, { token: team.owner.token })).body.invitations;
const self = async (token: string) => (await api("GET", "/self", { token })).body;
const registerWith = (code: string, fields: Record<string, unknown>) =>
  register({ password: somePassword, team_code: code, ...fields });

describe.concurrent("the founder of a team", () => {
  it("may invite as soon as an address is activated", async () => {
    const email = newEmail();
    const founded = await register({
      email,
      password: somePassword,
      team: { name: "Engines", icon: "default" },
    });
    const access = await api("POST", "/access", { cookie: founded.cookie });
    const team = { id: founded.body.team, owner: { token: access.body.access_token } as User };
    expect(outcome(await invite(team))).toBe("403 no-email");
    await activate({ email });
    expect((await invite(team)).status).toBe(201);
  });
});

describe.concurrent("registration with an invitation", () => {
  it("creates an active member, mails a welcome, and removes the invitation", async () => {
    const team = await newTeam({ name: "Engines" });
    const { id, email, code } = await newInvitation(team, { role: "admin" });
    const answer = await registerWith(code, { email });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ id, email, team: team.id });
    expect(answer.setCookie).toContain("Expires=");
    expect((await logIn({ email, password: somePassword })).status).toBe(200);
    expect((await memberOf(team, id)).body).toEqual({
      user: id,
      permissions: { self: 5951, copy: 5951 },
      created_by: team.owner.id,
      created_at: expect.any(String),
      legalhold_status: "no_consent",
    });
    expect(await invitationsOf(team)).toEqual([]);
    const welcome = await nextMessage(email, { purpose: "Welcome" });
    expect(welcome.text).toContain("Engines");
    const purposes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Purpose"]);
    expect(purposes).not.toContain("Activation");
  });

  it("tells admins, the new member's devices, and the team's log", async () => {
    const team = await newTeam();
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const socket = await openSocket("/await", { token: admin.token });
    const { id, email, code } = await newInvitation(team);
    const answer = await registerWith(code, { email });
    const frame = await socket.next(({ payload }) => payload?.[0]?.type === "team.member-join");
    expect(frame).toMatchObject({ transient: true, payload: [{ team: team.id, data: { user: id } }] });
    const access = await api("POST", "/access", { cookie: answer.cookie });
    await eventually(async () => {
      const activated = await storedEvents(access.body.access_token, "user.activate");
      expect(activated).toMatchObject([{ user: { id, team: team.id, email } }]);
      const updates = await storedEvents(member.token, "user.update");
      expect(updates).toContainEqual({
        type: "user.update",
        user: { id, team: team.id, sso_id_deleted: false },
      });
      const log = await api("GET", "/teams/notifications", { token: member.token });
      const joined = log.body.notifications.map((one: { payload: unknown[] }) => one.payload[0]);
      expect(joined).toContainEqual(
        expect.objectContaining({ type: "team.member-join", data: { user: id } }),
      );
    });
  });

  it("accepts the code under its old name", async () => {
    const { email, code } = await newInvitation(await newTeam());
    const answer = await register({ email, password: somePassword, invitation_code: code });
    expect(answer.status).toBe(201);
  });

  it("accepts a number as well, which must be activated", async () => {
    const { email, code } = await newInvitation(await newTeam());
    const phone = newPhone();
    const answer = await registerWith(code, { email, phone });
    expect(answer.body.email).toBe(email);
    expect(answer.body).not.toHaveProperty("phone");
    expect((await activate({ phone })).body).toEqual({ phone, first: false });
  });

  it("uses the invitation's spelling of the address, because its owner got the code", async () => {
    const team = await newTeam();
    const { email, code } = await newInvitation(team);
    const spelt = email.replace("@", "+other@").toUpperCase();
    const answer = await registerWith(code, { email: spelt });
    expect([answer.status, answer.body.email]).toEqual([201, email]);
  });

  it("returns 400 invalid-invitation-code for the code of another address", async () => {
    const team = await newTeam();
    const { email, code } = await newInvitation(team);
    expect(outcome(await registerWith(code, { email: newEmail() }))).toBe("400 invalid-invitation-code");
    expect((await registerWith(code, { email })).status).toBe(201);
  });

  it("checks in the order of the interface", async () => {
    const team = await newTeam();
    const { code } = await newInvitation(team);
    const [taken, blocked] = [await newUser(), newEmail()];
    await internalApi("POST", `/i/users/blacklist?email=${blocked}`);
    const unknown = "A".repeat(32);
    expect(outcome(await registerWith(unknown, { email: taken.email }))).toBe("409 key-exists");
    expect(outcome(await registerWith(unknown, { email: blocked }))).toBe("403 blacklisted-email");
    expect(outcome(await registerWith(code, { phone: newPhone() }))).toBe("403 missing-identity");
    expect(outcome(await registerWith("ä", { email: newEmail() }))).toBe("400 bad-request");
    expect(outcome(await registerWith(code, { email: newEmail(), password: undefined }))).toBe(
      "400 bad-request",
    );
  });

  it("removes the team's other invitations to the address", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const first = await newInvitation(team);
    const second = await newInvitation(team, { email: first.email });
    const foreign = await newInvitation(other, { email: first.email });
    expect((await registerWith(first.code, { email: first.email })).status).toBe(201);
    expect(await invitationsOf(team)).toEqual([]);
    expect(outcome(await api("GET", `/teams/invitations/info?code=${second.code}`))).toBe(
      "400 invalid-invitation-code",
    );
    expect(await invitationsOf(other)).toMatchObject([{ id: foreign.id }]);
  });
});

describe.concurrent("accepting an invitation", () => {
  it("makes an existing user a member, and tells contacts and admins", async () => {
    const [team, ada] = await Promise.all([newTeam(), newUser({ name: "Ada" })]);
    const admin = await team.add("admin");
    const { code } = await newInvitation(team, { email: ada.email, role: "partner" });
    const socket = await openSocket("/await", { token: admin.token });
    expect(outcome(await accept({ ...ada, password: "a wrong password" }, code))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await accept(ada, code))).toBe("200");
    expect((await self(ada.token)).team).toBe(team.id);
    expect((await memberOf(team, ada.id)).body).toMatchObject({
      permissions: { self: 1025, copy: 1025 },
      created_by: team.owner.id,
    });
    expect(await invitationsOf(team)).toEqual([]);
    const frame = await socket.next(({ payload }) => payload?.[0]?.type === "team.member-join");
    expect(frame.payload[0].data).toEqual({ user: ada.id });
    await eventually(async () => {
      for (const { token } of [ada, admin]) {
        const updates = await storedEvents(token, "user.update");
        expect(updates).toContainEqual({
          type: "user.update",
          user: { id: ada.id, team: team.id, sso_id_deleted: false },
        });
      }
    });
  });

  it("returns 400 invalid-invitation-code for a used code", async () => {
    const [team, ada] = await Promise.all([newTeam(), newUser()]);
    const { code } = await newInvitation(team, { email: ada.email });
    const again = await newInvitation(team, { email: ada.email });
    expect((await accept(ada, code)).status).toBe(200);
    expect(outcome(await accept(ada, code))).toBe("400 invalid-invitation-code");
    expect(outcome(await accept(ada, again.code))).toBe("400 invalid-invitation-code");
  });

  it("needs the account of the address, in any spelling", async () => {
    const team = await newTeam();
    const email = newEmail();
    const [ada, bob] = await Promise.all([newUser({ email: email.replace("@", "+x@") }), newUser()]);
    const { code } = await newInvitation(team, { email: email.toUpperCase() });
    expect(outcome(await accept(bob, code))).toBe("400 invalid-invitation-code");
    expect((await accept(ada, code)).status).toBe(200);
  });

  it("checks in the order of the interface", async () => {
    const [team, other, ada] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const { code } = await newInvitation(team, { email: ada.email });
    const elsewhere = await newInvitation(other, { email: ada.email });
    const unknown = "A".repeat(32);
    const wrong = { ...ada, password: "a wrong password" };
    expect(outcome(await accept({ token: ada.token, password: "short" }, code))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await accept(wrong, unknown))).toBe("403 invalid-credentials");
    expect(outcome(await accept(ada, unknown))).toBe("400 invalid-invitation-code");
    expect((await accept(ada, code)).status).toBe(200);
    expect(outcome(await accept(ada, elsewhere.code))).toBe("403 cannot-join-multiple-teams");
    expect(await invitationsOf(other)).toMatchObject([{ id: elsewhere.id }]);
  });

  it("returns 403 missing-identity to users without an address", async () => {
    const [team, ada] = await Promise.all([newTeam(), newUser()]);
    const { code } = await newInvitation(team, { email: ada.email });
    const phone = newPhone();
    await api("PUT", "/self/phone", { token: ada.token, json: { phone } });
    await activate({ phone });
    await api("DELETE", "/self/email", { token: ada.token });
    expect(outcome(await accept(ada, code))).toBe("403 missing-identity");
  });

  it("is refused to suspended users", async () => {
    const [team, ada] = await Promise.all([newTeam(), newUser()]);
    const { code } = await newInvitation(team, { email: ada.email });
    await internalApi("PUT", `/i/users/${ada.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await accept(ada, code))).toBe("403 suspended");
    expect(await invitationsOf(team)).toHaveLength(1);
  });
});
