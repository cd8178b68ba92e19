import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { newDirectory, newUserFields } from "../../support/directory.ts";
import { newSsoTeam, registeredProvider } from "../../support/identity-providers.ts";
import {
  logInBySaml,
  newIdentityProvider,
  type ResponseFields,
  registerIdentityProvider,
  samlNames,
  verdictOf,
} from "../../support/saml.ts";
import { newEmail, newUser } from "../../support/users.ts";

type Company = Awaited<ReturnType<typeof newCompany>>;

/** A team whose identity provider describes people by attributes. */
async function newCompany(mapping: object = { status: "enabled" }) {
  const team = await newSsoTeam();
  const { id, idp } = await registeredProvider(team, { query: { api_version: "v2" } });
  const path = `/identity-providers/${id}/attributes`;
  const chosen = await api("PUT", path, { token: team.owner.token, json: mapping });
  expect([chosen.status, chosen.body]).toEqual([200, mapping]);
  return { team, idp, path, registered: { id, teamId: team.id, apiVersion: "v2" as const } };
}

const attributes = (values: Readonly<Record<string, string>>) => {
  const elements = Object.entries(values).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
  );
  return `<saml:AttributeStatement>${elements.join("")}</saml:AttributeStatement>`;
};

/** Log in, and return the user's own profile. */
async function loggedIn({ registered, idp }: Company, text: string, values: Record<string, string>) {
  const fields: Partial<ResponseFields> = {
    nameId: { text, format: samlNames.persistent },
    moreStatements: attributes(values),
  };
  const { cookie } = await logInBySaml(registered, idp, fields);
  const { body: access } = await api("POST", "/access", { cookie });
  const { body } = await api("GET", "/self", { token: access.access_token });
  return { ...body, token: access.access_token };
}

const newName = () => `G-${randomUUID()}`;

describe("a login with attributes", () => {
  it("creates an account with the name in the attributes", async () => {
    const company = await newCompany();
    const self = await loggedIn(company, newName(), { givenName: "Ada", sn: "Lovelace" });
    expect(self).toMatchObject({ name: "Ada Lovelace" });
  });

  it("creates an account with the address in the attributes, where the team trusts its provider", async () => {
    const company = await newCompany({ status: "enabled", email: "contact" });
    const feature = `/i/teams/${company.team.id}/features/validateSAMLemails`;
    await internalApi("PUT", feature, { json: { status: "disabled" } });
    const email = newEmail();
    const self = await loggedIn(company, newName(), { contact: email, mail: newEmail() });
    expect(self.email).toBe(email);
  });

  it("gives a known user the name, but keeps one that the user has chosen", async () => {
    const company = await newCompany({ status: "disabled" });
    const name = newName();
    const before = await loggedIn(company, name, { displayName: "Ada" });
    expect(before.name).toBe(name);
    await api("PUT", company.path, { token: company.team.owner.token, json: { status: "enabled" } });
    expect(await loggedIn(company, name, { displayName: "Ada" })).toMatchObject({
      id: before.id,
      name: "Ada",
    });
    const known = await loggedIn(company, name, { displayName: "Countess" });
    expect(known.name).toBe("Ada");
  });
});

describe("a login of a known user with attributes", () => {
  it("succeeds without an address that somebody else has", async () => {
    const company = await newCompany({ status: "disabled" });
    const [name, other] = [newName(), await newUser()];
    const { id } = await loggedIn(company, name, {});
    await api("PUT", company.path, { token: company.team.owner.token, json: { status: "enabled" } });
    const self = await loggedIn(company, name, { displayName: "Ada", mail: other.email });
    expect(self).toMatchObject({ id, name: "Ada" });
    expect(self).not.toHaveProperty("email");
  });

  it("changes nothing of an account that a directory manages", async () => {
    const unbound = await newDirectory();
    const idp = await newIdentityProvider();
    const registered = await registerIdentityProvider(idp, unbound.team.id);
    const directory = await unbound.sibling({ idpId: registered.id });
    const path = `/identity-providers/${registered.id}/attributes`;
    const { token } = unbound.team.owner;
    expect((await api("PUT", path, { token, json: { status: "enabled" } })).status).toBe(200);
    const text = newName();
    const { body: user } = await directory.create(newUserFields({ externalId: text, displayName: text }));
    const fields = { nameId: { text }, moreStatements: attributes({ displayName: "Ada" }) };
    expect(verdictOf(await logInBySaml(registered, idp, fields))).toBe("success");
    expect((await directory.get(user.id)).body).toEqual(user);
  });
});

describe("the attributes of a provider", () => {
  it("are ignored at first, and are chosen by admins of the team", async () => {
    const team = await newSsoTeam();
    const { id } = await registeredProvider(team, { query: { api_version: "v2" } });
    const path = `/identity-providers/${id}/attributes`;
    const { token } = team.owner;
    expect((await api("GET", path, { token })).body).toEqual({ status: "disabled" });
    const json = { status: "enabled", name: "cn" };
    const member = await team.add("member");
    expect(outcome(await api("PUT", path, { token: member.token, json }))).toBe(
      "403 insufficient-permissions",
    );
    expect((await api("PUT", path, { token, json })).status).toBe(200);
    expect((await api("GET", path, { token })).body).toEqual(json);
    const other = `/identity-providers/${randomUUID()}/attributes`;
    expect(outcome(await api("GET", other, { token }))).toBe("404 not-found");
  });
});
