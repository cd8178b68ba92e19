import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import {
  type Directory,
  extensionUrn,
  newDirectory,
  newUserFields,
  profileUrn,
} from "../../support/directory.ts";
import { newEmail } from "../../support/users.ts";

const emailFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

let bound: Directory;
let unbound: Directory;
let stranger: Directory;

beforeAll(async () => {
  [bound, unbound, stranger] = await Promise.all([
    newDirectory({ hasProvider: true }),
    newDirectory(),
    newDirectory(),
  ]);
});

const profileOf = async (id: string) => (await internalApi("GET", `/i/users?ids=${id}`)).body[0];
const scimType = ({ status, body }: { status: number; body: { scimType?: string } }) =>
  `${status} ${body.scimType}`;

describe.concurrent("creating a user", () => {
  it("answers with the new user", async () => {
    const email = newEmail();
    const userName = `Ada.${randomUUID()}`;
    const answer = await bound.create({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      externalId: email,
      userName,
      displayName: "Ada Lovelace",
      preferredLanguage: "DE",
      roles: ["admin"],
      name: { givenName: "Ada" },
      phoneNumbers: [{ value: "+49", type: "work" }],
      [extensionUrn]: { Department: "Engines" },
    });
    const { id, meta } = answer.body;
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      201,
      "application/scim+json;charset=utf-8",
    ]);
    expect(answer.body).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", extensionUrn, profileUrn],
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      externalId: email,
      userName: userName.toLowerCase(),
      displayName: "Ada Lovelace",
      active: true,
      emails: [{ value: email }],
      preferredLanguage: "de",
      roles: ["admin"],
      [extensionUrn]: { Department: "Engines" },
      [profileUrn]: { richInfo: { version: 0, fields: [{ type: "Department", value: "Engines" }] } },
      meta: {
        resourceType: "User",
        created: meta.lastModified,
        lastModified: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        version: expect.stringMatching(/^W\/"[\da-f]{64}"$/),
        location: expect.stringMatching(new RegExp(`^http.*/scim/v2/Users/${id}$`)),
      },
    });
    expect((await bound.get(id)).body).toEqual(answer.body);
    expect((await bound.find(`userName eq "${userName.toLowerCase()}"`)).body).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 1,
      itemsPerPage: 1,
      startIndex: 1,
      Resources: [answer.body],
    });
  });

  it("creates an active member who logs in through the identity provider of the token", async () => {
    const externalId = newEmail();
    const { body } = await bound.create(newUserFields({ externalId }));
    const profile = await profileOf(body.id);
    expect(profile).toMatchObject({
      status: "active",
      managed_by: "scim",
      team: bound.team.id,
      email_unvalidated: externalId,
      sso_id: {
        tenant: expect.stringContaining(`>${bound.issuer}<`),
        subject: expect.stringContaining(`>${externalId}<`),
      },
    });
    expect(profile.sso_id.subject).toContain(emailFormat);
    expect(profile).not.toHaveProperty("email");
    const members = await api("GET", `/teams/${bound.team.id}/members/${body.id}`, {
      token: bound.team.owner.token,
    });
    expect(members.status).toBe(200);
  });

  it("creates, without an identity provider, an active account that has yet to confirm its address", async () => {
    const externalId = newEmail();
    const { status, body } = await unbound.create(newUserFields({ externalId }));
    expect([status, body.active]).toEqual([201, true]);
    expect(await profileOf(body.id)).toMatchObject({
      status: "active",
      managed_by: "scim",
      email_unvalidated: externalId,
      sso_id: { scim_external_id: externalId },
    });
  });

  it("requires a user name and an external id, and refuses wrong types", async () => {
    const { externalId, userName } = newUserFields();
    const refused: [unknown, string][] = [
      [{ externalId }, "400 invalidValue"],
      [{ userName }, "400 invalidValue"],
      [{ externalId: null, userName }, "400 invalidValue"],
      [{ externalId: "", userName }, "400 invalidValue"],
      [{ externalId, userName: "a" }, "400 invalidValue"],
      [{ externalId, userName: "ä" }, "400 invalidValue"],
      [{ externalId, userName: "a@b" }, "400 invalidValue"],
      [{ externalId, userName: ".." }, "400 invalidValue"],
      [{ externalId, userName, displayName: "a".repeat(129) }, "400 invalidValue"],
      [{ externalId, userName, preferredLanguage: "german" }, "400 invalidValue"],
      [{ externalId, userName, preferredLanguage: "xx" }, "400 invalidValue"],
      [{ externalId, userName, emails: [{ value: "nobody" }] }, "400 invalidValue"],
      [{ externalId, userName, active: "yes" }, "400 invalidSyntax"],
      [{ externalId, userName: 7 }, "400 invalidSyntax"],
      [{ externalId, userName, emails: "a@example.com" }, "400 invalidSyntax"],
      [{ externalId, userName, name: "Ada" }, "400 invalidSyntax"],
      [{ externalId, userName, USERNAME: userName }, "400 invalidSyntax"],
      [[], "400 invalidSyntax"],
      ["text", "400 invalidSyntax"],
    ];
    for (const [fields, expected] of refused) {
      const answer = await bound.create(fields as Record<string, unknown>);
      expect([fields, scimType(answer)]).toEqual([fields, expected]);
    }
  });

  it("accepts attributes in any case, booleans as texts, and null and [] as absent", async () => {
    const { externalId, userName } = newUserFields();
    const { status, body } = await unbound.create({
      EXTERNALID: externalId,
      username: userName,
      DisplayName: "Bea",
      Active: "True",
      eMails: [
        { Value: newEmail(), Primary: "false" },
        { VALUE: externalId, primary: "TRUE", type: null },
      ],
      roles: [],
      preferredLanguage: null,
      password: null,
      unknown: { attribute: 1 },
    });
    expect([status, body]).toMatchObject([
      201,
      { displayName: "Bea", active: true, emails: [{ value: externalId }], roles: ["member"] },
    ]);
    expect(body).not.toHaveProperty("unknown");
  });

  it("treats empty values as absent, and accepts languages with a country and roles in any case", async () => {
    const email = newEmail();
    const { status, body } = await bound.create(
      newUserFields({
        externalId: email,
        displayName: " ",
        emails: [
          { value: "", primary: true },
          { type: "home", value: null },
        ],
        preferredLanguage: "en-us",
        roles: [{ value: "Admin", display: "Admin", type: "app", primary: "True" }],
      }),
    );
    expect([status, body]).toMatchObject([
      201,
      { displayName: email, emails: [{ value: email }], preferredLanguage: "en-US", roles: ["admin"] },
    ]);
    expect(await profileOf(body.id)).toMatchObject({ locale: "en-US" });
    const roles: [unknown, string][] = [
      ["Admin", "admin"],
      [["PARTNER"], "partner"],
      [
        [
          { value: "member", primary: false },
          { value: "Admin", primary: true },
        ],
        "admin",
      ],
      [[""], "member"],
      [[{ value: "" }, { display: "Nobody" }], "member"],
    ];
    for (const [sent, role] of roles) {
      const created = await bound.create(newUserFields({ roles: sent, preferredLanguage: "" }));
      expect([created.status, created.body.roles, created.body.preferredLanguage]).toEqual([
        201,
        [role],
        "en",
      ]);
    }
  });

  it("refuses a password", async () => {
    expect(scimType(await bound.create(newUserFields({ password: "12345678" })))).toBe("400 invalidValue");
    expect(scimType(await bound.create(newUserFields({ password: "" })))).toBe("400 invalidValue");
  });

  it("refuses several roles and unknown ones, and creates a member when there is none", async () => {
    const twoPrimary = ["admin", "member"].map((value) => ({ value, primary: true }));
    for (const roles of [["president"], ["admin", "member"], [{ value: "boss" }], twoPrimary]) {
      expect(scimType(await bound.create(newUserFields({ roles })))).toBe("400 invalidValue");
    }
    expect((await bound.create(newUserFields())).body.roles).toEqual(["member"]);
    expect((await bound.create(newUserFields({ roles: [{ value: "partner" }] }))).body.roles).toEqual([
      "partner",
    ]);
  });

  it("takes the external id or, without an identity provider, the address as the default name", async () => {
    const { externalId, userName, ...rest } = newUserFields({
      displayName: null,
      externalId: `e-${randomUUID()}`,
    });
    expect((await bound.create({ externalId, userName, ...rest })).body.displayName).toBe(externalId);
    const email = newEmail();
    const named = await unbound.create(newUserFields({ displayName: null, emails: [{ value: email }] }));
    expect(named.body.displayName).toBe(email);
  });

  it("gives no address to a user of an identity provider whose name is no address, unless the request has one", async () => {
    const nameless = await bound.create(newUserFields({ externalId: `e-${randomUUID()}` }));
    expect([nameless.status, nameless.body.emails]).toEqual([201, undefined]);
    const email = newEmail();
    const named = await bound.create(
      newUserFields({ externalId: `e-${randomUUID()}`, emails: [{ value: email }] }),
    );
    expect([named.status, named.body.emails]).toEqual([201, [{ value: email }]]);
    expect((await profileOf(named.body.id)).sso_id.subject).toContain("unspecified");
  });

  it("needs an address as external id without an identity provider", async () => {
    const fields = newUserFields({ externalId: `e-${randomUUID()}` });
    expect(scimType(await unbound.create(fields))).toBe("400 invalidValue");
    expect(scimType(await unbound.create({ ...fields, emails: [{ value: newEmail() }] }))).toBe(
      "400 invalidValue",
    );
  });

  it("refuses a handle, an external id and an identity that are in use", async () => {
    const { body: ada } = await bound.create();
    const { body: bea } = await stranger.create();
    for (const userName of [ada.userName, bea.userName, bea.userName.toUpperCase()]) {
      expect(scimType(await bound.create(newUserFields({ userName })))).toBe("409 uniqueness");
    }
    const { externalId } = ada;
    expect(scimType(await bound.create(newUserFields({ externalId })))).toBe("409 uniqueness");
    expect(scimType(await bound.create(newUserFields({ externalId: externalId.toUpperCase() })))).toBe(
      "409 uniqueness",
    );
    const other = await newDirectory({ hasProvider: true });
    expect((await other.create(newUserFields({ externalId }))).status).toBe(201);
  });

  it("suspends a user whom it creates as not active", async () => {
    const { status, body } = await bound.create(newUserFields({ active: false }));
    expect([status, body.active]).toEqual([201, false]);
    expect(await profileOf(body.id)).toMatchObject({ status: "suspended" });
  });

  it("ignores the id of the path", async () => {
    const id = randomUUID();
    const { status, body } = await api("POST", `/scim/v2/Users/${id}`, {
      token: bound.token,
      json: newUserFields(),
    });
    expect(status).toBe(201);
    expect(body.id).not.toBe(id);
  });

  it("affects only the team of the token", async () => {
    for (const token of [undefined, "AAAA", bound.team.owner.token]) {
      const answer = await api("POST", "/scim/v2/Users", { token, json: newUserFields() });
      expect([answer.status, answer.body.status]).toEqual([401, "401"]);
    }
  });

  it("refuses an address in use with 409", async () => {
    const { owner } = stranger.team;
    const answer = await bound.create(newUserFields({ emails: [{ value: owner.email }] }));
    expect([answer.status, outcome(answer)]).toEqual([409, "409 scim-error"]);
  });

  it("stores when the user was created", async () => {
    const { body } = await bound.create();
    const info = await internalApi("POST", `/i/scim/userinfo/${body.id}`);
    expect([info.status, info.body]).toEqual([200, { id: body.id, created_on: body.meta.created }]);
    const member = await bound.team.add();
    expect((await internalApi("POST", `/i/scim/userinfo/${member.id}`)).body).toEqual({ id: member.id });
    expect(outcome(await internalApi("POST", `/i/scim/userinfo/${randomUUID()}`))).toBe("404 not-found");
  });
});
