import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { api, outcome } from "../../support/api.ts";
import {
  createProvider,
  deleteProvider,
  knownTo,
  newSsoTeam,
  updateProvider,
} from "../../support/identity-providers.ts";
import { logInBySaml, newIdentityProvider, newSigningKey, verdictOf } from "../../support/saml.ts";
import { changePermissions, type Team } from "../../support/teams.ts";
import type { User } from "../../support/users.ts";

const v2 = { query: { api_version: "v2" } };
const refused = "403 insufficient-permissions";

/** A team with an admin, and a registered identity provider of version 2. */
async function newCompany() {
  const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
  const { body } = await createProvider(team.owner, idp.metadata(), v2);
  const provider = { id: String(body.id), teamId: team.id, apiVersion: "v2" as const };
  return { team, idp, provider, admin: await team.add("admin") };
}

/** Create a token as an owner. */
async function newToken({ token, password }: User, idp?: string): Promise<string> {
  const json = { description: "", password, ...(idp !== undefined && { idp }) };
  const { status, body } = await api("POST", "/v8/scim/auth-tokens", { token, json });
  expect(status).toBe(201);
  return body.token;
}

const scim = (method: string, path: string, token: string, json?: unknown) =>
  api(method, `/scim/v2${path}`, { token, json });
const findBy = (externalId: string) => `/Users?filter=${encodeURIComponent(`externalId eq "${externalId}"`)}`;

/** Another owner, and the team's founder as an ordinary member. */
async function demoteFounder(team: Team): Promise<User> {
  const owner = await team.add("owner");
  const { status } = await changePermissions(team, owner, team.owner, permissionsOf("member"));
  expect(status).toBe(200);
  return owner;
}

describe.concurrent("an admin", () => {
  it("cannot change the keys of an identity provider through which an owner logs in", async () => {
    const { team, idp, provider, admin } = await newCompany();
    const owner = await team.add("owner", knownTo(idp.issuer, "olga"));
    const own = { ...idp, key: await newSigningKey() };
    expect(outcome(await updateProvider(admin, provider.id, own.metadata({ keys: [own.key] })))).toBe(
      refused,
    );
    expect(
      outcome(await updateProvider(admin, provider.id, idp.metadata({ issuer: `${idp.issuer}-2` }))),
    ).toBe(refused);
    const forged = await logInBySaml(provider, own, { nameId: { text: "olga" } }, { key: own.key });
    expect(verdictOf(forged)).not.toBe("success");
    expect((await updateProvider(admin, provider.id, idp.metadata())).status).toBe(200);
    expect((await updateProvider(owner, provider.id, own.metadata({ keys: [own.key] }))).status).toBe(200);
  });

  it("cannot replace such an identity provider, or take over its issuer", async () => {
    const { team, idp, provider, admin } = await newCompany();
    await team.add("owner", knownTo(idp.issuer, "olga"));
    const other = await newIdentityProvider();
    const replacing = { query: { api_version: "v2", replaces: provider.id } };
    expect(outcome(await createProvider(admin, other.metadata(), replacing))).toBe(refused);
    const moved = idp.metadata({ issuer: `${idp.issuer}-2` });
    expect((await updateProvider(team.owner, provider.id, moved)).status).toBe(200);
    expect(outcome(await createProvider(admin, idp.metadata(), v2))).toBe(refused);
    expect((await createProvider(admin, other.metadata(), v2)).status).toBe(201);
  });

  it("cannot change the keys of an identity provider that a directory is bound to", async () => {
    const { team, idp, provider, admin } = await newCompany();
    const token = await newToken(team.owner, provider.id);
    const key = await newSigningKey();
    const changed = idp.metadata({ keys: [key] });
    const [change, found] = await Promise.all([
      updateProvider(admin, provider.id, changed),
      scim("GET", findBy(team.owner.email), token),
    ]);
    expect(found.body.Resources).toMatchObject([{ id: team.owner.id }]);
    expect(outcome(change)).toBe(refused);
    expect((await updateProvider(team.owner, provider.id, changed)).status).toBe(200);
  });

  it("cannot delete an owner by purging an identity provider, although an owner can", async () => {
    const { team, idp, provider, admin } = await newCompany();
    const owner = await team.add("owner", knownTo(idp.issuer, "olga"));
    const member = await team.add("member", knownTo(idp.issuer, "max"));
    const purge = ({ token }: User) => deleteProvider({ token }, provider.id, { isPurge: true });
    expect(outcome(await deleteProvider(admin, provider.id))).toBe("412 idp-has-bound-users");
    expect(outcome(await purge(admin))).toBe(refused);
    for (const user of [owner, member]) expect((await api("GET", "/self", user)).status).toBe(200);
    expect((await purge(team.owner)).status).toBe(204);
    for (const user of [owner, member]) expect((await api("GET", "/self", user)).status).not.toBe(200);
  });

  it("may change the keys of an identity provider through which no owner logs in", async () => {
    const { team, idp, provider, admin } = await newCompany();
    await team.add("member", knownTo(idp.issuer, "max"));
    const { status } = await updateProvider(
      admin,
      provider.id,
      idp.metadata({ keys: [await newSigningKey()] }),
    );
    expect(status).toBe(200);
  });
});

describe.concurrent("a directory whose token was created by a former owner", () => {
  it("neither adopts, changes nor deletes an owner", async () => {
    const { team, provider } = await newCompany();
    const [adopting, adopted] = [await newToken(team.owner, provider.id), await newToken(team.owner)];
    const known = await team.add("owner");
    expect((await scim("GET", `/Users/${known.id}`, adopted)).status).toBe(200);
    const owner = await demoteFounder(team);
    for (const path of [findBy(owner.email), `/Users/${owner.id}`])
      expect(outcome(await scim("GET", path, adopting))).toBe("403 scim-error");
    const { body: self } = await api("GET", "/self", { token: owner.token });
    expect(self).toMatchObject({ managed_by: "svc" });
    expect(self).not.toHaveProperty("sso_id");

    const shown = await scim("GET", `/Users/${known.id}`, adopted);
    expect(shown.status).toBe(200);
    const moved = { ...shown.body, emails: [{ value: `${randomUUID()}@example.com` }] };
    expect(outcome(await scim("PUT", `/Users/${known.id}`, adopted, moved))).toBe("403 scim-error");
    expect(outcome(await scim("DELETE", `/Users/${known.id}`, adopted))).toBe("403 scim-error");
  });

  it("makes nobody an owner", async () => {
    const { team } = await newCompany();
    const token = await newToken(team.owner);
    const member = await team.add();
    await demoteFounder(team);
    const fields = { externalId: `${randomUUID()}@example.com`, userName: `u.${randomUUID()}` };
    expect(outcome(await scim("POST", "/Users", token, { ...fields, roles: ["owner"] }))).toBe(
      "403 scim-error",
    );
    const { body } = await scim("GET", `/Users/${member.id}`, token);
    const promoted = await scim("PUT", `/Users/${member.id}`, token, { ...body, roles: ["owner"] });
    expect(outcome(promoted)).toBe("403 scim-error");
    expect((await scim("PUT", `/Users/${member.id}`, token, { ...body, roles: ["admin"] })).status).toBe(200);
  });
});
