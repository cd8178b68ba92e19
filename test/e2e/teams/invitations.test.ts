import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { accept, invite, newInvitation } from "../../support/invitations.ts";
import { nextMessage } from "../../support/messages.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newEmail, newPhone, newUser, register, type User } from "../../support/users.ts";

const list = (team: Team, user: User = team.owner, query = "") =>
  api("GET", `/v9/teams/${team.id}/invitations${query}`, { token: user.token });
const get = (team: Team, id: string, user: User = team.owner) =>
  api("GET", `/v9/teams/${team.id}/invitations/${id}`, { token: user.token });
const revoke = (team: Team, id: string, user: User = team.owner) =>
  api("DELETE", `/teams/${team.id}/invitations/${id}`, { token: user.token });
const info = (code: string) => api("GET", `/teams/invitations/info?code=${code}`);
const lookUp = async (email: string) =>
  (await api("HEAD", `/teams/invitations/by-email?${new URLSearchParams({ email })}`)).status;

describe.concurrent("sending an invitation", () => {
  it("returns the invitation and its path", async () => {
    const team = await newTeam();
    const email = newEmail();
    const answer = await invite(team, { email, name: "Ada", role: "admin" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/teams/${team.id}/invitations/${answer.body.id}`);
    expect(answer.body).toEqual({
      id: expect.any(String),
      team: team.id,
      role: "admin",
      email,
      name: "Ada",
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      created_by: team.owner.id,
    });
    expect((await get(team, answer.body.id)).body).toEqual(answer.body);
  });

  it("invites as a member by default, and has null for unknown fields, with the phone up to version 3", async () => {
    const team = await newTeam();
    const current = await invite(team, { inviter_name: "Bob" });
    expect(current.body).toMatchObject({ role: "member", name: null });
    expect(current.body).not.toHaveProperty("phone");
    expect((await invite(team, {}, { version: 3 })).body).toMatchObject({ name: null, phone: null });
  });

  it.each(["en", "de", "es", "fr"])("mails the code in the locale of the invitation (%s)", async (locale) => {
    const team = await newTeam();
    const { email, code } = await newInvitation(team, { locale });
    const message = await nextMessage(email, { purpose: "TeamInvitation" });
    expect(message.headers["X-Svc-Code"]).toBe(code);
    expect(code).toMatch(/^[\w-]{32}$/);
    expect(message.text).toContain(team.owner.email);
    expect(message.text).toContain(`/activate/join?team-code=${code}\n`);
    expect(message.html).toContain(`<html lang="${locale}"`);
    expect(message.html).toContain(`team-code=${code}"`);
  });

  it("needs a member who may add members", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const [admin, member, partner] = await Promise.all([
      team.add("admin"),
      team.add("member"),
      team.add("partner"),
    ]);
    expect((await invite(team, {}, { by: admin })).status).toBe(201);
    for (const by of [member, partner, other.owner])
      expect(outcome(await invite(team, {}, { by }))).toBe("403 insufficient-permissions");
    expect(outcome(await invite({ id: randomUUID(), owner: team.owner }))).toBe(
      "403 insufficient-permissions",
    );
  });

  it("returns 403 insufficient-permissions to an admin who invites an owner", async () => {
    const team = await newTeam();
    const admin = await team.add("admin");
    expect(outcome(await invite(team, { role: "owner" }, { by: admin }))).toBe(
      "403 insufficient-permissions",
    );
    expect((await invite(team, { role: "admin" }, { by: admin })).status).toBe(201);
    expect((await invite(team, { role: "owner" })).status).toBe(201);
  });

  it("reports a malformed address only to members who may invite", async () => {
    const team = await newTeam();
    const member = await team.add("member");
    const email = "not an address";
    expect(outcome(await invite(team, { email }))).toBe("400 invalid-email");
    expect(outcome(await invite(team, { email }, { by: member }))).toBe("403 insufficient-permissions");
  });

  it("refuses blocked addresses", async () => {
    const team = await newTeam();
    const email = newEmail();
    await internalApi("POST", `/i/users/blacklist?email=${email}`);
    expect(outcome(await invite(team, { email }))).toBe("403 blacklisted-email");
  });

  it("returns 409 email-exists for a personal user up to version 6, unless allowed by the request", async () => {
    const [team, { email }] = await Promise.all([newTeam(), newUser()]);
    expect(outcome(await invite(team, { email }, { version: 6 }))).toBe("409 email-exists");
    expect((await invite(team, { email, allow_existing: true }, { version: 6 })).status).toBe(201);
  });

  it("invites a personal user from version 7, with the mail for existing users", async () => {
    const [team, { email }] = await Promise.all([newTeam(), newUser()]);
    const refused = await invite(team, { email, allow_existing: false }, { version: 7 });
    expect(outcome(refused)).toBe("409 email-exists");
    expect((await invite(team, { email }, { version: 7 })).status).toBe(201);
    expect((await nextMessage(email, { purpose: "TeamInvitation" })).text).toContain(
      "with your Parley account",
    );
  });

  it("returns 409 email-exists for users of teams and for suspended users", async () => {
    const [team, other, suspended] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const status = { json: { status: "suspended" } };
    await internalApi("PUT", `/i/users/${suspended.id}/status`, status);
    for (const { email } of [other.owner, team.owner, suspended])
      expect(outcome(await invite(team, { email }))).toBe("409 email-exists");
  });

  it("invites an address that is registered but not activated", async () => {
    const [team, email] = [await newTeam(), newEmail()];
    await register({ email, password: "correct horse" });
    expect((await invite(team, { email }, { version: 6 })).status).toBe(201);
  });

  it("returns 403 no-email to an inviter without a verified address", async () => {
    const team = await newTeam();
    const phone = newPhone();
    await api("PUT", "/self/phone", { token: team.owner.token, json: { phone } });
    const { body } = await internalApi("GET", `/i/users/activation-code?${new URLSearchParams({ phone })}`);
    await api("POST", "/activate", { json: { phone, code: body.code } });
    expect((await api("DELETE", "/self/email", { token: team.owner.token })).status).toBe(200);
    expect(outcome(await invite(team))).toBe("403 no-email");
  });
});

describe.concurrent("invitations", () => {
  it("are listed in the order of their ids, in pages", async () => {
    const team = await newTeam();
    const sent = await Promise.all(Array.from({ length: 5 }, () => newInvitation(team)));
    const ids = sent.map(({ id }) => id).sort();
    const idsOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
      body.invitations.map(({ id }: { id: string }) => id);
    const all = await list(team);
    expect([idsOf(all), all.body.has_more]).toEqual([ids, false]);
    const first = await list(team, team.owner, "?size=3");
    expect([idsOf(first), first.body.has_more]).toEqual([ids.slice(0, 3), true]);
    const second = await list(team, team.owner, `?size=3&start=${ids[2]}`);
    expect([idsOf(second), second.body.has_more]).toEqual([ids.slice(3), false]);
    for (const size of [0, 501])
      expect(outcome(await list(team, team.owner, `?size=${size}`))).toBe("400 bad-request");
  });

  it("are hidden from members who may not invite, and from other teams", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const { id } = await newInvitation(team);
    const member = await team.add("member");
    for (const user of [member, other.owner]) {
      for (const answer of [await list(team, user), await get(team, id, user), await revoke(team, id, user)])
        expect(outcome(answer)).toBe("403 insufficient-permissions");
    }
    expect(outcome(await get(other, id, other.owner))).toBe("404 not-found");
    expect((await revoke(other, id, other.owner)).status).toBe(200);
    expect((await get(team, id)).status).toBe(200);
  });

  it("can be revoked, also repeatedly, and then have no code", async () => {
    const team = await newTeam();
    const { id, code, email } = await newInvitation(team);
    expect((await revoke(team, id)).status).toBe(200);
    expect((await revoke(team, id)).status).toBe(200);
    expect((await revoke(team, randomUUID())).status).toBe(200);
    expect(outcome(await get(team, id))).toBe("404 not-found");
    expect((await list(team)).body).toEqual({ invitations: [], has_more: false });
    expect(outcome(await info(code))).toBe("400 invalid-invitation-code");
    const user = { email, password: "correct horse", team_code: code };
    expect(outcome(await register(user))).toBe("400 invalid-invitation-code");
  });
});

describe.concurrent("the info of an invitation", () => {
  it("is found by the code, and has the address of the inviter", async () => {
    const team = await newTeam();
    const { id, code, email } = await newInvitation(team, { name: "Ada" });
    for (const path of ["/teams/invitations/info", "/teams/invitation/info"]) {
      const { status, body } = await api("GET", `${path}?code=${code}`);
      expect([status, body]).toEqual([
        200,
        {
          id,
          email,
          team: team.id,
          role: "member",
          name: "Ada",
          phone: null,
          created_at: expect.any(String),
          created_by: team.owner.id,
          created_by_email: team.owner.email,
        },
      ]);
    }
  });

  it("returns 400 for unknown and malformed codes", async () => {
    expect(outcome(await info("A".repeat(32)))).toBe("400 invalid-invitation-code");
    expect(outcome(await info("%C3%A4"))).toBe("400 bad-request");
    expect(outcome(await info(""))).toBe("400 bad-request");
  });
});

describe.concurrent("an invited address", () => {
  it("returns 409 with invitations from two teams, 200 when one is revoked, and 404 without any", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const email = newEmail();
    expect(await lookUp(email)).toBe(404);
    const one = await newInvitation(team, { email });
    expect(await lookUp(email)).toBe(200);
    const two = await newInvitation(other, { email });
    expect(await lookUp(email)).toBe(409);
    const path = `/i/teams/invitations/by-email?${new URLSearchParams({ email })}`;
    expect(outcome(await internalApi("GET", path))).toBe("409 conflicting-invitations");
    await revoke(team, one.id);
    expect(await lookUp(email)).toBe(200);
    expect((await internalApi("GET", path)).body).toMatchObject({ id: two.id, team: other.id, email });
    await revoke(other, two.id);
    expect(await lookUp(email)).toBe(404);
    expect(outcome(await internalApi("GET", path))).toBe("404 not-found");
  });

  it("is found in any spelling, and stays invited while one of two invitations is pending", async () => {
    const team = await newTeam();
    const email = newEmail();
    const first = await newInvitation(team, { email: email.toUpperCase() });
    const second = await newInvitation(team, { email: email.replace("@", "+news@") });
    expect(await lookUp(email)).toBe(200);
    await revoke(team, second.id);
    expect(await lookUp(email)).toBe(200);
    await revoke(team, first.id);
    expect(await lookUp(email)).toBe(404);
    expect(await lookUp("nonsense")).toBe(400);
  });
});

describe.concurrent("a team that admits nobody", () => {
  it("can neither invite nor admit anybody while it is suspended, and has lost its invitations", async () => {
    const [team, ada] = await Promise.all([newTeam(), newUser()]);
    const invitation = await newInvitation(team);
    const forAda = await newInvitation(team, { email: ada.email });
    expect((await internalApi("POST", `/i/teams/${team.id}/suspend`)).status).toBe(200);
    expect(outcome(await invite(team))).toBe("403 insufficient-permissions");
    for (const { code } of [invitation, forAda])
      expect(outcome(await info(code))).toBe("400 invalid-invitation-code");
    expect(outcome(await accept(ada, forAda.code))).toBe("400 invalid-invitation-code");
    expect(await lookUp(invitation.email)).toBe(404);
  });

  it("leaves no invitation behind when it is deleted", async () => {
    const team = await newTeam();
    const { code, email } = await newInvitation(team);
    const deletion = { token: team.owner.token, json: { password: team.owner.password } };
    expect((await api("DELETE", `/teams/${team.id}`, deletion)).status).toBe(202);
    expect(["404 no-team", "403 insufficient-permissions", "401 unauthorized"]).toContain(
      outcome(await invite(team)),
    );
    await eventually(async () => {
      expect(outcome(await info(code))).toBe("400 invalid-invitation-code");
      expect(await lookUp(email)).toBe(404);
    });
  });
});

describe.concurrent("the internal API", () => {
  it("returns only the code of a pending invitation", async () => {
    const team = await newTeam();
    const { id } = await newInvitation(team);
    const codeOf = (teamId: string, invitationId: string) =>
      internalApi("GET", `/i/teams/invitation-code?team=${teamId}&invitation_id=${invitationId}`);
    expect((await codeOf(team.id, id)).status).toBe(200);
    expect(outcome(await codeOf(randomUUID(), id))).toBe("400 invalid-invitation-code");
    expect(outcome(await codeOf(team.id, randomUUID()))).toBe("400 invalid-invitation-code");
    await revoke(team, id);
    expect(outcome(await codeOf(team.id, id))).toBe("400 invalid-invitation-code");
  });
});
