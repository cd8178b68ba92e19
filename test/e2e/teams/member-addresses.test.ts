import { describe, expect, it } from "vitest";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { changePermissions, newTeam } from "../../support/teams.ts";
import { activate, logIn, newEmail, newUser, type User } from "../../support/users.ts";

const accounts = accountEditor();

const changeEmail = ({ token }: Pick<User, "token">, { id }: Pick<User, "id">, email: unknown) =>
  api("PUT", `/users/${id}/email`, { token, json: { email } });
const selfOf = async ({ token }: User) => (await api("GET", "/self", { token })).body;

describe.concurrent("the email address of a member", () => {
  it("changes when an admin requests it and the member confirms the new one", async () => {
    const team = await newTeam();
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const email = newEmail();
    const { status, body } = await changeEmail(admin, member, email);
    expect({ status, body }).toEqual({ status: 200, body: [] });
    expect(await selfOf(member)).toMatchObject({ email: member.email, email_unvalidated: email });
    const mail = await nextMessage(email);
    expect(mail.headers).toMatchObject({ "X-Svc-Purpose": "Activation", "X-Svc-Code": expect.any(String) });
    expect(outcome(await logIn({ ...member, email }))).toBe("403 invalid-credentials");
    expect((await activate({ email })).status).toBe(200);
    expect(await selfOf(member)).toMatchObject({ email });
    expect(outcome(await logIn({ ...member, email }))).toBe("200");
    expect((await newUser({ email: member.email })).id).not.toBe(member.id);
  });

  it("is confirmed by another mail when an admin repeats the request", async () => {
    const team = await newTeam();
    const member = await team.add();
    const email = newEmail();
    for (const count of [1, 2]) {
      expect(outcome(await changeEmail(team.owner, member, email))).toBe("200");
      await nextMessage(email, { count });
    }
  });

  it("stays as it is when it is the same, without a mail", async () => {
    const team = await newTeam();
    const member = await team.add();
    expect(outcome(await changeEmail(team.owner, member, member.email.toUpperCase()))).toBe("200");
    expect(await selfOf(member)).not.toHaveProperty("email_unvalidated");
    expect(await messagesTo(member.email)).toEqual([]);
  });

  it("can be changed only by admins and owners", async () => {
    const [team, other, person] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const [member, mate] = await Promise.all([team.add(), team.add()]);
    for (const actor of [mate, member, person])
      expect(outcome(await changeEmail(actor, member, newEmail()))).toBe("403 insufficient-permissions");
    expect(outcome(await changeEmail(other.owner, member, newEmail()))).toBe("404 not-found");
    expect(outcome(await changeEmail(team.owner, person, newEmail()))).toBe("404 not-found");
    expect(outcome(await changeEmail(team.owner, { id: crypto.randomUUID() }, newEmail()))).toBe(
      "404 not-found",
    );
    expect(await selfOf(member)).not.toHaveProperty("email_unvalidated");
    expect(outcome(await changePermissions(team, team.owner, mate, permissionsOf("admin")))).toBe("200");
    expect(outcome(await changeEmail(mate, member, newEmail()))).toBe("200");
    expect(outcome(await changeEmail(mate, mate, newEmail()))).toBe("200");
  });

  it("can be changed only by owners if the member is an owner, because whoever reads the mailbox can reset the password", async () => {
    const team = await newTeam();
    const [admin, owner] = await Promise.all([team.add("admin"), team.add("owner")]);
    expect(outcome(await changeEmail(admin, owner, newEmail()))).toBe("403 insufficient-permissions");
    expect(await selfOf(owner)).not.toHaveProperty("email_unvalidated");
    expect(outcome(await changeEmail(team.owner, owner, newEmail()))).toBe("200");
    expect(outcome(await changeEmail(owner, owner, newEmail()))).toBe("200");
  });

  it("no longer changes to one that an admin has requested when the member has become an owner", async () => {
    const team = await newTeam();
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const email = newEmail();
    await changeEmail(admin, member, email);
    expect(outcome(await changePermissions(team, team.owner, member, permissionsOf("owner")))).toBe("200");
    expect(await selfOf(member)).not.toHaveProperty("email_unvalidated");
    expect(outcome(await activate({ email }))).toBe("404 invalid-code");
    expect(await selfOf(member)).toMatchObject({ email: member.email });
  });

  it("must be one that the member could also choose", async () => {
    const team = await newTeam();
    const [member, managed] = await Promise.all([team.add(), team.add()]);
    const blocked = newEmail();
    await internalApi("POST", `/i/users/blacklist?${new URLSearchParams({ email: blocked })}`);
    await accounts.change(managed, { managedByScim: true });
    const change = async (email: unknown, user: User = member) =>
      outcome(await changeEmail(team.owner, user, email));
    expect(await change("ada@")).toBe("400 invalid-email");
    expect(await change(7)).toBe("400 bad-request");
    expect(await change(team.owner.email)).toBe("409 key-exists");
    expect(await change(blocked)).toBe("403 blacklisted-email");
    expect(await change(newEmail(), managed)).toBe("403 managed-by-scim");
  });

  it("does not change for a deleted account", async () => {
    const team = await newTeam();
    const member = await team.add();
    await internalApi("DELETE", `/i/users/${member.id}`);
    expect(outcome(await changeEmail(team.owner, member, newEmail()))).toBe("404 not-found");
  });
});
