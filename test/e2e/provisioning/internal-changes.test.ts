import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { extensionUrn, newDirectory, newUserFields, profileUrn } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { nextMessage } from "../../support/messages.ts";
import { newTeam } from "../../support/teams.ts";
import { logIn, newEmail, newUser, register, somePassword } from "../../support/users.ts";

const namespace = 'xmlns="urn:oasis:names:tc:SAML:2.0:assertion"';
const newSsoId = (text: string = randomUUID()) => ({
  tenant: `<Issuer ${namespace}>https://idp-${randomUUID()}.example.com</Issuer>`,
  subject: `<NameID ${namespace}>${text}</NameID>`,
});
const newHandle = () => `h${randomUUID().slice(0, 12)}`;

const put = async (id: string, what: string, json: object) =>
  outcome(await internalApi("PUT", `/i/users/${id}/${what}`, { json }));
const remove = async (id: string, what: string) =>
  outcome(await internalApi("DELETE", `/i/users/${id}/${what}`));
const profileOf = async (id: string) => (await internalApi("GET", `/i/users?ids=${id}`)).body[0];

interface UserEvent {
  readonly type: string;
  readonly user: Record<string, unknown>;
}

/** The `user.update` events of a user so far; a last one, triggered here, shows that they are complete. */
async function updatesOf({ id, token }: { id: string; token: string }): Promise<UserEvent["user"][]> {
  await api("PUT", "/self", { token, json: { accent_id: 7 } });
  return eventually(async () => {
    const { body } = await api("GET", "/notifications", { token });
    const events: UserEvent[] = body.notifications.flatMap(
      ({ payload }: { payload: UserEvent[] }) => payload,
    );
    const updates = events.filter(({ type, user }) => type === "user.update" && user.id === id);
    expect(updates.at(-1)?.user).toMatchObject({ accent_id: 7 });
    return updates.slice(0, -1).map(({ user }) => user);
  });
}

describe.concurrent("a change by provisioning", () => {
  it("changes what the user cannot change, with an event for each field", async () => {
    const team = await newTeam();
    const user = await team.add("member", { name: "Ada", locale: "fr" });
    const { id } = user;
    const [handle, ssoId, externalId] = [newHandle(), newSsoId(), randomUUID()];
    expect(await put(id, "managed-by", { managed_by: "scim" })).toBe("200");
    for (const name of ["Grace", "Grace"]) expect(await put(id, "name", { name })).toBe("200");
    expect(await put(id, "handle", { handle })).toBe("200");
    expect(await put(id, "locale", { locale: "de" })).toBe("200");
    expect(await put(id, "sso-id", ssoId)).toBe("200");
    expect(await profileOf(id)).toMatchObject({
      name: "Grace",
      handle,
      locale: "de",
      sso_id: ssoId,
      managed_by: "scim",
    });
    expect(await put(id, "sso-id", { scim_external_id: externalId })).toBe("200");
    expect((await profileOf(id)).sso_id).toEqual({ scim_external_id: externalId });
    expect(await remove(id, "sso-id")).toBe("200");
    expect(await remove(id, "locale")).toBe("200");
    expect(await put(id, "managed-by", { managed_by: "svc" })).toBe("200");
    expect(await profileOf(id)).toMatchObject({ locale: "en", managed_by: "svc" });
    expect(await profileOf(id)).not.toHaveProperty("sso_id");
    expect(await updatesOf(user)).toEqual([
      { id, name: "Grace", sso_id_deleted: false },
      { id, handle, sso_id_deleted: false },
      { id, locale: "de" },
      { id, sso_id: ssoId, sso_id_deleted: false },
      { id, sso_id: { scim_external_id: externalId }, sso_id_deleted: false },
      { id, sso_id_deleted: true },
      { id, locale: "en" },
    ]);
  });

  it("is refused for a taken or malformed value, or an unknown user", async () => {
    const team = await newTeam();
    const [one, other] = await Promise.all([team.add(), team.add()]);
    const [handle, ssoId, scim_external_id] = [newHandle(), newSsoId(), randomUUID()];
    await put(one.id, "handle", { handle });
    expect(await put(other.id, "handle", { handle })).toBe("409 handle-exists");
    expect(await put(other.id, "handle", { handle: "No Handle" })).toBe("400 invalid-handle");
    await put(one.id, "sso-id", ssoId);
    const upperCase = { ...ssoId, subject: ssoId.subject.replace(/>[^<]*</, (text) => text.toUpperCase()) };
    expect(await put(other.id, "sso-id", upperCase)).toBe("409 key-exists");
    await put(one.id, "sso-id", { scim_external_id });
    expect(await put(other.id, "sso-id", { scim_external_id })).toBe("409 key-exists");
    expect(await put(other.id, "sso-id", ssoId)).toBe("200");
    const { tenant } = ssoId;
    for (const malformed of [{}, { tenant }, { tenant, subject: "ada" }, { ...ssoId, scim_external_id }])
      expect(await put(other.id, "sso-id", malformed)).toBe("400 bad-request");
    expect(await put(other.id, "managed-by", { managed_by: "nobody" })).toBe("400 bad-request");
    expect(await put(other.id, "name", { name: "" })).toBe("400 bad-request");
    for (const [what, json] of [
      ["name", { name: "Ada" }],
      ["sso-id", newSsoId()],
      ["managed-by", { managed_by: "scim" }],
    ] as const)
      expect(await put(randomUUID(), what, json)).toBe("404 not-found");
  });
});

describe.concurrent("an account created for a user of single sign-on", () => {
  const create = (json: object) => internalApi("POST", "/i/users/sso", { json });

  it("is an active member of the team, who needs no address", async () => {
    const [team, user_id, handle, sso_id] = [await newTeam(), randomUUID(), newHandle(), newSsoId()];
    const rich_info = { version: 0, fields: [{ type: "Floor", value: "2" }] };
    const json = {
      user_id,
      sso_id,
      name: "Ada",
      team: team.id,
      managed_by: "scim",
      handle,
      rich_info,
      locale: "fr",
      role: "partner",
    };
    const { status, headers, body } = await create(json);
    expect([status, headers.get("location")]).toEqual([201, user_id]);
    expect(body).toMatchObject({
      id: user_id,
      status: "active",
      name: "Ada",
      handle,
      locale: "fr",
      sso_id,
      team: team.id,
      managed_by: "scim",
    });
    const { body: member } = await api("GET", `/teams/${team.id}/members/${user_id}`, {
      token: team.owner.token,
    });
    expect(member.permissions).toEqual({ self: 1025, copy: 1025 });
    const { body: info } = await internalApi("GET", `/i/users/${user_id}/rich-info`);
    expect(info[extensionUrn]).toEqual({ Floor: "2" });
    const taken = { ...json, user_id: randomUUID(), sso_id: newSsoId() };
    expect(outcome(await create(taken))).toBe("409 handle-exists");
    expect(outcome(await create({ ...taken, handle: newHandle(), sso_id }))).toBe("409 key-exists");
    expect(outcome(await create({ ...json, handle: newHandle(), sso_id: newSsoId() }))).toBe(
      "409 key-exists",
    );
    expect(outcome(await create({ ...taken, handle: "No Handle" }))).toBe("400 invalid-handle");
    expect(outcome(await create({ ...taken, handle: newHandle(), team: randomUUID() }))).toBe("404 no-team");
  });
});

describe.concurrent("an invitation of a user from a directory", () => {
  it("creates an account with its id, which waits for the invitation to be accepted", async () => {
    const [team, user_id, email, external_id] = [await newTeam(), randomUUID(), newEmail(), randomUUID()];
    const json = {
      team_id: team.id,
      user_id,
      external_id,
      email,
      name: "Ada",
      locale: "fr",
      role: "partner",
    };
    const invite = async (fields: object) =>
      internalApi("POST", `/i/teams/${team.id}/invitations`, { json: { ...json, ...fields } });
    const { status, body } = await invite({});
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: user_id,
      status: "pending-invitation",
      email_unvalidated: email,
      managed_by: "scim",
      sso_id: { scim_external_id: external_id },
    });
    expect(body).not.toHaveProperty("email");
    const { headers } = await nextMessage(email);
    const fields = { name: "Ada", email, password: somePassword, team_code: headers["X-Svc-Code"] };
    const registered = await register(fields);
    expect(registered.body).toMatchObject({
      id: user_id,
      status: "active",
      email,
      team: team.id,
      managed_by: "scim",
    });

    const other = { user_id: randomUUID(), external_id: randomUUID(), email: newEmail() };
    expect(outcome(await invite({ ...other, user_id }))).toBe("409 key-exists");
    expect(outcome(await invite({ ...other, external_id }))).toBe("409 key-exists");
    expect(outcome(await invite({ ...other, email }))).toBe("409 email-exists");
    expect(outcome(await invite({ ...other, email: "nobody" }))).toBe("400 invalid-email");
    expect(outcome(await invite({ ...other, team_id: randomUUID() }))).toBe("400 bad-request");
    expect(outcome(await invite(other))).toBe("200");
    expect(outcome(await invite({ ...other, user_id: randomUUID() }))).toBe("409 email-exists");
  });
});

describe.concurrent("look-ups by provisioning", () => {
  it("show rich info in SCIM form, of one user and of several", async () => {
    const team = await newTeam();
    const [one, other, gone] = await Promise.all([team.add(), team.add(), team.add()]);
    const rich_info = {
      version: 0,
      fields: [
        { type: "b", value: "1" },
        { type: "a", value: "2" },
      ],
    };
    await put(one.id, "rich-info", { rich_info });
    await internalApi("DELETE", `/i/users/${gone.id}`);
    const shown = { [extensionUrn]: { b: "1", a: "2" }, [profileUrn]: { richInfo: rich_info } };
    const empty = { [extensionUrn]: {}, [profileUrn]: { richInfo: { version: 0, fields: [] } } };
    expect((await internalApi("GET", `/i/users/${one.id}/rich-info`)).body).toEqual(shown);
    expect(outcome(await internalApi("GET", `/i/users/${gone.id}/rich-info`))).toBe("404 not-found");
    const ids = [one.id, other.id, gone.id, randomUUID()].join();
    const { body } = await internalApi("GET", `/i/users/rich-info?ids=${ids}`);
    expect(Object.fromEntries(body)).toEqual({ [one.id]: shown, [other.id]: empty });
  });

  it("tell which handles are taken, the default locale, and the team of an admin", async () => {
    const [team, handle, teamless] = [await newTeam(), newHandle(), await newUser()];
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const check = async (text: string) => (await internalApi("HEAD", `/i/users/handles/${text}`)).status;
    expect(await check(handle)).toBe(404);
    await put(member.id, "handle", { handle });
    expect([await check(handle), await check("NO")]).toEqual([200, 400]);
    expect((await internalApi("GET", "/i/users/locale")).body).toEqual({ locale: "en" });
    const teamOf = async (id: string) => {
      const answer = await internalApi("GET", `/i/users/${id}/check-admin-get-team-id`);
      return answer.status === 200 ? answer.body : outcome(answer);
    };
    expect(await teamOf(admin.id)).toBe(team.id);
    expect(await teamOf(team.owner.id)).toBe(team.id);
    for (const id of [member.id, teamless.id, randomUUID()])
      expect(await teamOf(id)).toBe("403 insufficient-permissions");
  });
});

describe.concurrent("PUT /i/self/email", () => {
  it("accepts the older names of how an address is activated", async () => {
    const change = async (query: string) => {
      const user = await newUser();
      const json = { email: `${randomUUID()}@example.com` };
      return outcome(
        await internalApi("PUT", `/i/self/email?${query}`, { json, headers: { "Z-User": user.id } }),
      );
    };
    expect(await change("activate=true")).toBe("204");
    expect(await change("validate=true")).toBe("202");
    expect(await change("activate=false&validate=false")).toBe("202");
    expect(await change("email_activation=send_activation_email&activate=true")).toBe("202");
    expect(await change("activate=maybe")).toBe("400 bad-request");
  });
});

describe.concurrent("every way in which an account ends", () => {
  /** A user created by a directory, with an identity at a provider, and an admin who can delete the user. */
  async function newProvisionedUser() {
    const directory = await newDirectory({ hasProvider: true });
    const fields = newUserFields();
    const { body } = await directory.create(fields);
    return { directory, fields, id: String(body.id) };
  }

  it.each([
    ["the directory", async ({ directory, id }) => directory.remove(id)],
    ["the operator", async ({ id }) => internalApi("DELETE", `/i/users/${id}`)],
    ["the user", async ({ id }) => internalApi("DELETE", "/self", { headers: { "Z-User": id }, json: {} })],
    [
      "an admin of the team",
      async ({ directory: { team }, id }) =>
        api("DELETE", `/teams/${team.id}/members/${id}`, {
          token: team.owner.token,
          json: { password: team.owner.password },
        }),
    ],
  ] satisfies [string, (user: Awaited<ReturnType<typeof newProvisionedUser>>) => Promise<unknown>][])(
    "frees identity, external id and handle: %s deletes it",
    async (_who, end) => {
      const user = await newProvisionedUser();
      expect((await user.directory.create(user.fields)).status).toBe(409);
      await end(user);
      const { body } = await eventually(async () => {
        const answer = await user.directory.create(user.fields);
        expect(answer.status).toBe(201);
        return answer;
      });
      expect(body.id).not.toBe(user.id);
      expect((await user.directory.get(user.id)).status).toBe(404);
      const { body: tombstone } = await internalApi("GET", `/i/users?ids=${user.id}`);
      expect(tombstone[0]).not.toHaveProperty("sso_id");
    },
  );

  it("leaves a suspended user without sessions and out of the search, until the directory resumes the user", async () => {
    const directory = await newDirectory();
    const name = `Ada${randomUUID().slice(0, 8)}`;
    const user = await directory.team.add("member", { name });
    const found = async () => {
      const { body } = await api("GET", `/search/contacts?q=${name}`, { token: directory.team.owner.token });
      return body.documents.map(({ id }: { id: string }) => id);
    };
    await eventually(async () => expect(await found()).toEqual([user.id]));
    await directory.patch(user.id, [{ op: "replace", path: "active", value: false }]);
    expect(outcome(await api("POST", "/access", { cookie: user.cookie }))).toMatch(/^403/);
    expect(outcome(await logIn(user))).toBe("403 suspended");
    await eventually(async () => expect(await found()).toEqual([]));
    await directory.patch(user.id, [{ op: "remove", path: "active" }]);
    expect(outcome(await logIn(user))).toBe("200");
    await eventually(async () => expect(await found()).toEqual([user.id]));
  });
});
