import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { api, outcome } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { nextMessage } from "../../support/messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { type Apis, activate, logIn, newEmail, type User } from "../../support/users.ts";

const newSamlIdentity = () => ({
  issuer: `https://idp-${randomUUID()}.example.com/metadata`,
  nameId: { text: "ada" },
});

const selfOf = async ({ token }: User) => (await api("GET", "/self", { token })).body;
const put = async ({ token }: User, path: string, json: object) =>
  outcome(await api("PUT", path, { token, json }));
const changeEmail = async ({ token, cookie }: User, email: string) =>
  outcome(await api("PUT", "/access/self/email", { token, cookie, json: { email } }));
const removeEmail = async ({ token }: User) =>
  outcome(await api("DELETE", "/self/email", { token, json: {} }));

describe.concurrent("a user whom a directory manages", () => {
  it("cannot change name, handle, locale and address", async () => {
    const team = await newTeam();
    const user = await team.add("member", { name: "Ada", locale: "fr" });
    const handle = `h${randomUUID().slice(0, 12)}`;
    await accountEditor().change(user, { handle, managedByScim: true });
    const refused = "403 managed-by-scim";
    expect(await put(user, "/self", { name: "Grace" })).toBe(refused);
    expect(await put(user, "/self/handle", { handle: `${handle}2` })).toBe(refused);
    expect(await put(user, "/self/locale", { locale: "de" })).toBe(refused);
    expect(await changeEmail(user, newEmail())).toBe(refused);
    expect(await removeEmail(user)).toBe(refused);
    expect(await put(team.owner, `/users/${user.id}/email`, { email: newEmail() })).toBe(refused);
    const email = user.email;
    expect(await selfOf(user)).toMatchObject({
      name: "Ada",
      handle,
      locale: "fr",
      email,
      managed_by: "scim",
    });
  });

  it("may set them to their present values, and change the rest of the profile", async () => {
    const team = await newTeam();
    const user = await team.add("member", { name: "Ada", locale: "fr" });
    const handle = `h${randomUUID().slice(0, 12)}`;
    await accountEditor().change(user, { handle, managedByScim: true });
    expect(await put(user, "/self", { name: "Ada", accent_id: 4 })).toBe("200");
    expect(await put(user, "/self/handle", { handle })).toBe("200");
    expect(await put(user, "/self/locale", { locale: "fr" })).toBe("200");
    expect(await selfOf(user)).toMatchObject({ accent_id: 4, handle });
  });
});

describe.concurrent("a user of single sign-on", () => {
  const newSamlUser = async () => {
    const [team, samlIdentity] = [await newTeam(), newSamlIdentity()];
    const user = await team.add("member", { provisioned: { samlIdentity } });
    return { team, user, samlIdentity };
  };

  it("may remove the address and set another one, which a code confirms", async () => {
    const { user } = await newSamlUser();
    expect(await removeEmail(user)).toBe("200");
    expect(await selfOf(user)).not.toHaveProperty("email");
    expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
    expect(await removeEmail(user)).toBe("403 last-identity");
    const email = newEmail();
    expect(await changeEmail(user, email)).toBe("202");
    expect((await activate({ email })).body).toEqual({ email, first: false });
    expect(await selfOf(user)).toMatchObject({ email });
  });

  it("revokes cookies, and acts as a team's owner, without a password", async () => {
    const { team, user, samlIdentity } = await newSamlUser();
    const json = { password: "not the password" };
    expect(outcome(await api("POST", "/cookies/remove", { token: user.token, json }))).toBe("200");
    expect((await api("GET", "/cookies", { token: user.token })).body.cookies).toEqual([]);
    const remove = (password?: string) =>
      api("DELETE", `/teams/${team.id}/members/${user.id}`, { token: team.owner.token, json: { password } });
    expect(outcome(await remove())).toBe("403 access-denied");
    await accountEditor().change(team.owner, {
      samlIdentity: { ...samlIdentity, nameId: { text: "owner" } },
    });
    expect(outcome(await remove("not the password"))).toBe("403 access-denied");
    expect(outcome(await remove())).toBe("202");
  });

  it("does not count as an anonymous guest without an address", async () => {
    const { team, user } = await newSamlUser();
    await accountEditor().change(user, { email: undefined });
    const fields = { with: [user], in: team, access_role: ["team_member", "non_team_member", "guest"] };
    const { body: group } = await createConversation(team.owner, fields);
    const json = { access: ["invite"], access_role: ["team_member"] };
    const path = `/v9/conversations/${group.qualified_id.domain}/${group.id}`;
    const { token } = team.owner;
    expect((await api("PUT", `${path}/access`, { token, json })).status).toBe(200);
    expect((await api("GET", path, { token: user.token })).status).toBe(200);
    expect((await createConversation(user, { with: [team.owner], in: team })).status).toBe(201);
    expect(await put(user, "/self/handle", { handle: `h${randomUUID().slice(0, 12)}` })).toBe("200");
  });

  it("without a password can set one, and uses it with the address", async () => {
    const { user } = await newSamlUser();
    const password = "a password of one's own";
    await api("POST", "/password-reset", { json: { email: user.email } });
    const { headers } = await nextMessage(user.email);
    const reset = { code: headers["X-Svc-Code"], key: headers["X-Svc-Key"], password };
    expect(outcome(await api("POST", "/password-reset/complete", { json: reset }))).toBe("200");
    expect(outcome(await logIn({ ...user, password }))).toBe("200");
  });

  it("without an address deletes the account immediately, and frees the identity", async () => {
    const { team, user, samlIdentity } = await newSamlUser();
    await accountEditor().change(user, { email: undefined });
    const taken = team.add("member", { provisioned: { samlIdentity } });
    await expect(taken).rejects.toThrow(expect.objectContaining({ name: "IdentityTakenError" }));
    expect(outcome(await api("DELETE", "/self", { token: user.token, json: {} }))).toBe("200");
    expect((await team.add("member", { provisioned: { samlIdentity } })).id).not.toBe(user.id);
  });
});

describe("a team that requires a second factor", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } });
  });

  it("does not ask users of single sign-on for it, but leaves it to the identity provider", async () => {
    const team = await newTeam({}, stack);
    const apis: Apis = stack;
    const [member, user] = await Promise.all([
      team.add(),
      team.add("member", { provisioned: { samlIdentity: newSamlIdentity() } }),
    ]);
    expect(outcome(await logIn(member, { apis }))).toBe("403 code-authentication-required");
    expect(outcome(await logIn(user, { apis }))).toBe("200");
  });
});
