import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import {
  createProvider,
  deleteProvider,
  knownTo,
  newSsoTeam,
  registeredProvider,
  updateProvider,
} from "../../support/identity-providers.ts";
import { provisioningData } from "../../support/provisioning.ts";
import {
  certificateText,
  keyDescriptor,
  logInBySaml,
  newIdentityProvider,
  samlNames,
  sharedKey,
  verdictOf,
} from "../../support/saml.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const v2 = { query: { api_version: "v2" } };
const get = async ({ token }: { token: string }, id: string) =>
  (await api("GET", `/identity-providers/${id}`, { token })).body;
/** Status of an account, as the service sees it. */
const statusOf = async ({ id }: { id: string }) =>
  (await internalApi("GET", `/i/users?ids=${id}`)).body[0].status;

describe.concurrent("a new identity provider", () => {
  it("is shown as its metadata describes it", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const { status, body, headers } = await createProvider(team.owner, idp.metadata());
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-cache, no-store");
    expect(headers.get("pragma")).toBe("no-cache");
    expect(body).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      metadata: {
        issuer: idp.issuer,
        requestURI: idp.requestUri,
        certAuthnResponse: [
          '<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>' +
            `<ds:X509Certificate>${certificateText(idp.key)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`,
        ],
      },
      extraInfo: {
        team: team.id,
        apiVersion: "SvcIdPAPIV1",
        oldIssuers: [],
        replacedBy: null,
        handle: "IdP 1",
        domain: null,
      },
    });
    expect(await get(team.owner, body.id)).toEqual(body);
    const list = await api("GET", "/identity-providers", team.owner);
    expect(list.body).toEqual({ providers: [body] });
    const internal = await internalApi("GET", `/i/identity-providers/${team.id}`);
    expect(internal.body).toEqual({ providers: [body] });
  });

  it("needs the feature `sso`", async () => {
    const [team, idp] = [await newTeam(), await newIdentityProvider()];
    expect(outcome(await createProvider(team.owner, idp.metadata()))).toBe("403 sso-disabled");
  });

  it("needs an address with https", async () => {
    const team = await newSsoTeam();
    for (const requestUri of ["http://idp.example.com/login", "javascript:alert(1)"]) {
      const idp = await newIdentityProvider({ requestUri });
      expect(outcome(await createProvider(team.owner, idp.metadata()))).toBe("400 idp-must-be-https");
    }
  });

  it("needs the binding HTTP-POST, in any case", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const redirect = await createProvider(team.owner, idp.metadata({ binding: samlNames.redirect }));
    expect(outcome(redirect)).toBe("400 invalid-metadata");
    const binding = samlNames.post.replace("HTTP-POST", "HTTP-Post");
    expect((await createProvider(team.owner, idp.metadata({ binding }))).status).toBe(201);
  });

  it("of version 1 has an issuer that is unique in the installation", async () => {
    const [team, other] = [await newSsoTeam(), await newSsoTeam()];
    const { idp } = await registeredProvider(team);
    for (const { owner } of [team, other])
      expect(outcome(await createProvider(owner, idp.metadata()))).toBe("400 idp-already-in-use");
  });

  it("of version 2 may share its issuer with those of other teams", async () => {
    const [team, other] = [await newSsoTeam(), await newSsoTeam()];
    const { id, idp } = await registeredProvider(team, v2);
    expect((await get(team.owner, id)).extraInfo.apiVersion).toBe("SvcIdPAPIV2");
    expect((await createProvider(other.owner, idp.metadata(), v2)).status).toBe(201);
    const again = await createProvider(team.owner, idp.metadata(), v2);
    expect(outcome(again)).toBe("400 idp-already-in-use");
  });

  it("cannot have an issuer of an identity provider of the other version", async () => {
    const [team, other] = [await newSsoTeam(), await newSsoTeam()];
    const [first, second] = [await registeredProvider(team), await registeredProvider(team, v2)];
    for (const { owner } of [team, other]) {
      const mixed = await createProvider(owner, first.idp.metadata(), v2);
      expect(outcome(mixed)).toBe("409 cannot-mix-idp-api-verions");
      const reverse = await createProvider(owner, second.idp.metadata());
      expect(outcome(reverse)).toBe("409 cannot-mix-idp-api-verions");
    }
  });

  it("gets the first free handle unless the request has one", async () => {
    const team = await newSsoTeam();
    const ids: string[] = [];
    for (const handle of ["IdP 1", "IdP 2", "IdP 3"]) {
      const { id } = await registeredProvider(team);
      expect((await get(team.owner, id)).extraInfo.handle).toBe(handle);
      ids.push(id);
    }
    await deleteProvider(team.owner, ids[1] ?? "");
    const next = await registeredProvider(team);
    expect((await get(team.owner, next.id)).extraInfo.handle).toBe("IdP 2");
    const named = await registeredProvider(team, { query: { handle: "IdP 1" } });
    expect((await get(team.owner, named.id)).extraInfo.handle).toBe("IdP 1");
    const idp = await newIdentityProvider();
    for (const handle of ["", "x".repeat(33)]) {
      const refused = await createProvider(team.owner, idp.metadata(), { query: { handle } });
      expect(outcome(refused)).toBe("400 bad-request");
    }
  });

  it("may be sent as JSON, and its metadata stays as uploaded", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const value = `${idp.metadata()}\n<!-- größer -->\n`;
    const { status, body } = await api("POST", "/identity-providers", {
      token: team.owner.token,
      json: { value },
    });
    expect(status).toBe(201);
    const raw = await api("GET", `/identity-providers/${body.id}/raw`, team.owner);
    expect([raw.status, raw.body]).toEqual([200, value]);
    expect(raw.headers.get("content-type")).toContain("application/xml");
  });

  it("has each key of its metadata once", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const other = await sharedKey("other");
    const encryption = keyDescriptor(await sharedKey("third")).replace('"signing"', '"encryption"');
    const both = keyDescriptor(idp.key).replace(' use="signing"', "");
    const keyDescriptors = [keyDescriptor(idp.key), both, keyDescriptor(other), encryption].join("");
    const { body } = await createProvider(team.owner, idp.metadata({ keyDescriptors }));
    const texts = body.metadata.certAuthnResponse.map(
      (info: string) => /Certificate>([^<]*)</.exec(info)?.[1],
    );
    expect(texts).toEqual([certificateText(idp.key), certificateText(other)]);
  });

  it("with `replaces` inherits the issuers of the one that it replaces", async () => {
    const team = await newSsoTeam();
    const first = await registeredProvider(team);
    const second = await registeredProvider(team, { query: { replaces: first.id } });
    const third = await registeredProvider(team, { query: { replaces: second.id } });
    expect((await get(team.owner, first.id)).extraInfo.replacedBy).toBe(second.id);
    expect((await get(team.owner, third.id)).extraInfo.oldIssuers).toEqual([
      second.idp.issuer,
      first.idp.issuer,
    ]);
    await deleteProvider(team.owner, third.id);
    expect((await get(team.owner, second.id)).extraInfo.replacedBy).toBeNull();
    expect((await get(team.owner, first.id)).extraInfo.replacedBy).toBe(second.id);
  });

  it("can replace only one of its own team", async () => {
    const [team, other, idp] = [await newSsoTeam(), await newSsoTeam(), await newIdentityProvider()];
    const foreign = await registeredProvider(other);
    for (const replaces of [randomUUID(), foreign.id]) {
      const refused = await createProvider(team.owner, idp.metadata(), { query: { replaces } });
      expect(outcome(refused)).toBe("404 not-found");
    }
  });

  it("cannot be the team's second one up to version 7 if the team has a token", async () => {
    const team = await newSsoTeam();
    await registeredProvider(team, { version: "/v7" });
    await registeredProvider(team, { version: "/v7" });
    await provisioningData().newToken(team.id);
    const idp = await newIdentityProvider();
    const refused = await createProvider(team.owner, idp.metadata(), { version: "/v7" });
    expect(outcome(refused)).toBe("400 more-than-one-idp");
    expect((await createProvider(team.owner, idp.metadata(), { version: "/v8" })).status).toBe(201);
  });
});

describe.concurrent("metadata", () => {
  it("that cannot be read is refused", async () => {
    const team = await newSsoTeam();
    expect(outcome(await createProvider(team.owner, "nothing"))).toBe("400 invalid-metadata");
  });

  it("may be a list with one entry, with any prefix, comments and white space", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const entity = idp
      .metadata()
      .replace(/<\?xml[^>]*>/, "")
      .replaceAll("md:", "m:")
      .replace("xmlns:md", "xmlns:m")
      .replace("MII", "\n  MII\n");
    const xml = `\ufeff\n<!-- ours --><list:EntitiesDescriptor xmlns:list="urn:oasis:names:tc:SAML:2.0:metadata">
      ${entity} </list:EntitiesDescriptor>`;
    const { status, body } = await createProvider(team.owner, xml);
    expect([status, body.metadata?.issuer]).toEqual([201, idp.issuer]);
    const two = xml.replace(entity, entity + entity);
    expect(outcome(await createProvider(team.owner, two))).toBe("400 invalid-metadata");
  });

  it("may be compressed, and name its charset", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const headers = { "content-type": "Text/XML; charset=UTF-8", "content-encoding": "gzip" };
    const { status, body } = await api("POST", "/identity-providers", {
      token: team.owner.token,
      body: new Uint8Array(gzipSync(idp.metadata())),
      headers,
    });
    expect([status, body.metadata?.issuer]).toEqual([201, idp.issuer]);
  });

  it("of other types is refused with 415", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const options = { headers: { "content-type": "text/plain" } };
    const refused = await createProvider(team.owner, idp.metadata(), options);
    expect(outcome(refused)).toBe("415 unsupported-media-type");
    const large = `${idp.metadata()}${" ".repeat(600 * 1024)}`;
    expect(outcome(await createProvider(team.owner, large))).toBe("413 request-too-large");
  });
});

describe.concurrent("an update", () => {
  it("with the same issuer changes address, keys and handle", async () => {
    const team = await newSsoTeam();
    const { id, idp } = await registeredProvider(team, v2);
    const key = await sharedKey("other");
    const requestUri = "https://new.example.com/login";
    const metadata = idp.metadata({ requestUri, keys: [key] });
    const { status, body } = await updateProvider(team.owner, id, metadata, { query: { handle: "Ours" } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      metadata: { issuer: idp.issuer, requestURI: requestUri },
      extraInfo: { handle: "Ours", oldIssuers: [], apiVersion: "SvcIdPAPIV2" },
    });
    expect(body.metadata.certAuthnResponse).toEqual([expect.stringContaining(certificateText(key))]);
    expect(await get(team.owner, id)).toEqual(body);
    expect((await api("GET", `/identity-providers/${id}/raw`, team.owner)).body).toBe(metadata);
    expect((await updateProvider(team.owner, id, metadata)).body.extraInfo.handle).toBe("Ours");
  });

  it("with another issuer keeps the former one as an old issuer, until it is changed back", async () => {
    const team = await newSsoTeam();
    const { id, idp } = await registeredProvider(team);
    const [second, third] = [`${idp.issuer}-2`, `${idp.issuer}-3`];
    const oldAfter = async (issuer: string) =>
      (await updateProvider(team.owner, id, idp.metadata({ issuer }))).body.extraInfo.oldIssuers;
    expect(await oldAfter(second)).toEqual([idp.issuer]);
    expect(await oldAfter(third)).toEqual([second, idp.issuer]);
    expect(await oldAfter(second)).toEqual([third, idp.issuer]);
    expect(await oldAfter(idp.issuer)).toEqual([second, third]);
  });

  it("makes the former issuer available to others", async () => {
    const [team, other] = [await newSsoTeam(), await newSsoTeam()];
    const { id, idp } = await registeredProvider(team);
    await updateProvider(team.owner, id, idp.metadata({ issuer: `${idp.issuer}-2` }));
    expect((await createProvider(other.owner, idp.metadata())).status).toBe(201);
    const back = await updateProvider(team.owner, id, idp.metadata());
    expect(outcome(back)).toBe("400 idp-issuer-in-use");
    const { id: ownId, idp: own } = await registeredProvider(team, v2);
    const mixed = await updateProvider(team.owner, ownId, own.metadata({ issuer: idp.issuer }));
    expect(outcome(mixed)).toBe("409 cannot-mix-idp-api-verions");
  });

  it("is refused for the first of several reasons in the order of the interface", async () => {
    const [team, other] = [await newSsoTeam(), await newSsoTeam()];
    const { id, idp } = await registeredProvider(team);
    const taken = await registeredProvider(team);
    const http = { requestUri: "http://idp.example.com/login" };
    const update = async (admin: { token: string }, providerId: string, metadata: string) =>
      outcome(await updateProvider(admin, providerId, metadata));
    expect(await update(other.owner, randomUUID(), "<a/>")).toBe("400 invalid-metadata");
    expect(await update(other.owner, randomUUID(), idp.metadata())).toBe("404 not-found");
    expect(await update(other.owner, id, idp.metadata(http))).toBe("403 insufficient-permissions");
    const both = idp.metadata({ ...http, issuer: taken.idp.issuer });
    expect(await update(team.owner, id, both)).toBe("400 idp-issuer-in-use");
    expect(await update(team.owner, id, idp.metadata(http))).toBe("400 idp-must-be-https");
  });
});

describe.concurrent("a deletion", () => {
  it("removes the identity provider and frees its issuer", async () => {
    const [team, other] = [await newSsoTeam(), await newSsoTeam()];
    const { id, idp } = await registeredProvider(team);
    expect((await deleteProvider(team.owner, id)).status).toBe(204);
    for (const path of [`/identity-providers/${id}`, `/identity-providers/${id}/raw`])
      expect(outcome(await api("GET", path, team.owner))).toBe("404 not-found");
    expect((await api("GET", "/identity-providers", team.owner)).body).toEqual({ providers: [] });
    expect(outcome(await deleteProvider(team.owner, id))).toBe("404 not-found");
    expect((await createProvider(other.owner, idp.metadata(), v2)).status).toBe(201);
  });

  it("removes the tokens that are bound to it", async () => {
    const team = await newSsoTeam();
    const { id } = await registeredProvider(team);
    const data = provisioningData();
    const [bound, free] = [await data.newToken(team.id, { idpId: id }), await data.newToken(team.id)];
    await deleteProvider(team.owner, id);
    expect(await data.teams.findProvisioner(bound)).toBeUndefined();
    expect(await data.teams.findProvisioner(free)).toMatchObject({ teamId: team.id });
    expect((await data.teams.get(team.id)).tokens).toHaveLength(1);
  });

  it("with users requires `purge`, which deletes them and nobody else", async () => {
    const [team, other] = [await newSsoTeam(), await newSsoTeam()];
    const { id, idp } = await registeredProvider(team, v2);
    await createProvider(other.owner, idp.metadata(), v2);
    const users = await Promise.all(
      ["ada", "bob", "cleo"].map((name) => team.add("member", knownTo(idp.issuer, name))),
    );
    const [mate, stranger] = [await team.add(), await other.add("member", knownTo(idp.issuer, "dan"))];
    expect(outcome(await deleteProvider(team.owner, id))).toBe("412 idp-has-bound-users");
    expect(outcome(await deleteProvider(team.owner, id, { isPurge: false }))).toBe("412 idp-has-bound-users");
    expect((await deleteProvider(team.owner, id, { isPurge: true })).status).toBe(204);
    for (const user of users) expect(await statusOf(user)).toBe("deleted");
    for (const user of [team.owner, mate, stranger]) expect(await statusOf(user)).toBe("active");
    const again = await createProvider(team.owner, idp.metadata(), v2);
    expect(again.status).toBe(201);
  });

  it("counts users of its former issuers, unless another provider finds them, too", async () => {
    const team = await newSsoTeam();
    const first = await registeredProvider(team);
    const known = await team.add("member", knownTo(first.idp.issuer, "ada"));
    const second = await registeredProvider(team, { query: { replaces: first.id } });
    expect((await deleteProvider(team.owner, second.id, { isPurge: true })).status).toBe(204);
    expect(await statusOf(known)).toBe("active");
    const issuer = `${first.idp.issuer}-2`;
    await updateProvider(team.owner, first.id, first.idp.metadata({ issuer }));
    expect(outcome(await deleteProvider(team.owner, first.id))).toBe("412 idp-has-bound-users");
    expect((await deleteProvider(team.owner, first.id, { isPurge: true })).status).toBe(204);
    expect(await statusOf(known)).toBe("deleted");
  });

  it("of a replacement lets the replaced one create accounts again", async () => {
    const team = await newSsoTeam();
    const { id, idp } = await registeredProvider(team, v2);
    const login = async () => verdictOf(await logInBySaml({ id, teamId: team.id, apiVersion: "v2" }, idp));
    const query = { ...v2.query, replaces: id };
    const { id: replacing } = await registeredProvider(team, { query });
    expect(await login()).toBe("cannont-provision-on-replaced-idp");
    expect((await deleteProvider(team.owner, replacing)).status).toBe(204);
    expect(await login()).toBe("success");
  });

  it("is refused to users who log in through it", async () => {
    const team = await newSsoTeam();
    const { id, idp } = await registeredProvider(team);
    const owner = await team.add("owner", knownTo(idp.issuer, "ada"));
    for (const isPurge of [true, false])
      expect(outcome(await deleteProvider(owner, id, { isPurge }))).toBe("409 cannot-delete-own-idp");
    await updateProvider(team.owner, id, idp.metadata({ issuer: `${idp.issuer}-2` }));
    expect(outcome(await deleteProvider(owner, id, { isPurge: true }))).toBe("409 cannot-delete-own-idp");
    expect(await statusOf(owner)).toBe("active");
  });

  it("never deletes the last owner of the team", async () => {
    const team = await newSsoTeam();
    const { id, idp } = await registeredProvider(team);
    const admin = await team.add("admin");
    const owner = await team.add("owner", knownTo(idp.issuer, "ada"));
    const user = await team.add("member", knownTo(idp.issuer, "bob"));
    const demoted = await api("PUT", `/teams/${team.id}/members`, {
      token: owner.token,
      json: { member: { user: team.owner.id, permissions: { self: 1025, copy: 1025 } } },
    });
    expect(demoted.status).toBe(200);
    expect((await deleteProvider(admin, id, { isPurge: true })).status).toBe(204);
    expect(await statusOf(user)).toBe("deleted");
    expect(await statusOf(owner)).toBe("active");
  });
});

describe.concurrent("identity providers of a team", () => {
  it("are managed only by its admins and owners", async () => {
    const [team, other, idp] = [await newSsoTeam(), await newSsoTeam(), await newIdentityProvider()];
    const { id } = await registeredProvider(team);
    const admin = await team.add("admin");
    expect((await get(admin, id)).id).toBe(id);
    const loner = await newUser();
    const denied = "403 insufficient-permissions";
    const callers = [await team.add("member"), await team.add("partner"), other.owner, loner];
    for (const user of callers) {
      const paths = [`/identity-providers/${id}`, `/identity-providers/${id}/raw`];
      for (const path of paths) expect(outcome(await api("GET", path, user))).toBe(denied);
      expect(outcome(await updateProvider(user, id, idp.metadata()))).toBe(denied);
      expect(outcome(await deleteProvider(user, id, { isPurge: true }))).toBe(denied);
      expect(outcome(await api("GET", `/identity-providers/${randomUUID()}`, user))).toBe("404 not-found");
    }
    for (const user of callers.slice(0, 2)) {
      expect(outcome(await api("GET", "/identity-providers", user))).toBe(denied);
      expect(outcome(await createProvider(user, "<a/>"))).toBe(denied);
    }
    expect(outcome(await api("GET", "/identity-providers", loner))).toBe("403 no-team-member");
    expect(outcome(await createProvider(loner, "<a/>"))).toBe(denied);
    expect((await api("GET", "/identity-providers", other.owner)).body).toEqual({ providers: [] });
  });

  it("are managed by internal callers for a user", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const xml = { "content-type": "application/xml" };
    const created = await internalApi("POST", "/identity-providers", {
      body: idp.metadata(),
      headers: { ...xml, "Z-User": team.owner.id },
    });
    expect(created.status).toBe(201);
    const path = `/identity-providers/${created.body.id}`;
    const nobody = await internalApi("POST", "/identity-providers", { body: idp.metadata(), headers: xml });
    expect(outcome(nobody)).toBe("400 client-error");
    expect(outcome(await internalApi("GET", "/identity-providers"))).toBe("400 client-error");
    expect(outcome(await internalApi("GET", path))).toBe("403 insufficient-permissions");
    expect(outcome(await internalApi("DELETE", path))).toBe("403 insufficient-permissions");
    const forged = await api("GET", path, { headers: { "Z-User": team.owner.id } });
    expect(outcome(forged)).toBe("401 unauthorized");
    expect(outcome(await api("GET", "/identity-providers"))).toBe("401 unauthorized");
  });

  it("cannot be managed by suspended users, or while the team is suspended", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const { id } = await registeredProvider(team);
    const admin = await team.add("admin");
    const json = { status: "suspended" };
    await internalApi("PUT", `/i/users/${admin.id}/status`, { json });
    expect(outcome(await createProvider(admin, idp.metadata()))).toBe("403 insufficient-permissions");
    await internalApi("POST", `/i/teams/${team.id}/suspend`);
    expect(outcome(await createProvider(team.owner, idp.metadata()))).toBe("403 insufficient-permissions");
    expect(outcome(await deleteProvider(team.owner, id))).toBe("403 insufficient-permissions");
  });
});

describe.concurrent("the default", () => {
  const choose = (default_sso_code: string | null | undefined) =>
    internalApi("PUT", "/i/sso/settings", { json: { default_sso_code } });
  const read = async () => (await api("GET", "/sso/settings")).body;

  // One test, because the installation has one default.
  it("is chosen by the operator, and removed with its identity provider", async () => {
    expect(await read()).toEqual({ default_sso_code: null });
    const team = await newSsoTeam();
    const [{ id }, other] = [await registeredProvider(team), await registeredProvider(team)];
    expect(outcome(await choose(randomUUID()))).toBe("404 not-found");
    expect(outcome(await choose(undefined))).toBe("400 bad-request");
    expect((await choose(id)).status).toBe(200);
    expect(await read()).toEqual({ default_sso_code: id });
    await deleteProvider(team.owner, other.id);
    expect(await read()).toEqual({ default_sso_code: id });
    await deleteProvider(team.owner, id);
    expect(await read()).toEqual({ default_sso_code: null });
    const next = await registeredProvider(team);
    await choose(next.id);
    expect((await choose(null)).status).toBe(200);
    expect(await read()).toEqual({ default_sso_code: null });
    expect((await deleteProvider(team.owner, next.id)).status).toBe(204);
  });
});
