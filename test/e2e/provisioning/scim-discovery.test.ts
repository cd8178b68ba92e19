import { afterAll, describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { extensionUrn, profileUrn } from "../../support/directory.ts";
import { stopOwnStacks } from "../../support/own-stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";

const get = (path: string) => api("GET", `/scim/v2${path}`);
const core = "urn:ietf:params:scim:schemas:core:2.0:";
const urns = [
  `${core}User`,
  extensionUrn,
  profileUrn,
  ...["Group", "ServiceProviderConfig", "Schema", "ResourceType"].map((name) => core + name),
];
const list = ["urn:ietf:params:scim:api:messages:2.0:ListResponse"];
const addressOf = (path: string) => `${sharedStack().publicUrl}/scim/v2${path}`;

afterAll(stopOwnStacks);

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly subAttributes?: readonly Attribute[];
}

describe.concurrent("discovery", () => {
  it("tells everybody what the service supports", async () => {
    const { status, body, headers } = await get("/ServiceProviderConfig");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/scim+json;charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache, no-store");
    expect(body).toMatchObject({
      schemas: [`${core}ServiceProviderConfig`],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 100 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [{ type: "oauthbearertoken", primary: true }],
      meta: { resourceType: "ServiceProviderConfig", location: addressOf("/ServiceProviderConfig") },
    });
  });

  it("lists the schemas of resources and of their extensions, and has each under its URN", async () => {
    const { body } = await get("/Schemas");
    expect(body).toMatchObject({ schemas: list, totalResults: 7, itemsPerPage: 7, startIndex: 1 });
    expect(body.Resources.map(({ id }: { id: string }) => id)).toEqual(urns);
    for (const schema of body.Resources) {
      expect(schema).toMatchObject({
        schemas: [`${core}Schema`],
        meta: { resourceType: "Schema", location: addressOf(`/Schemas/${schema.id}`) },
      });
      expect((await get(`/Schemas/${schema.id}`)).body).toEqual(schema);
    }
  });

  it("describes schemas by the attributes that their own schema has", async () => {
    const { Resources } = (await get("/Schemas")).body;
    const known = Resources.find(({ name }: Attribute) => name === "Schema")
      .attributes.find(({ name }: Attribute) => name === "attributes")
      .subAttributes.map(({ name }: Attribute) => name);
    const check = (attributes: readonly Attribute[]): void => {
      for (const attribute of attributes) {
        expect(known).toEqual(expect.arrayContaining(Object.keys(attribute)));
        expect(attribute.type === "complex").toBe(attribute.subAttributes !== undefined);
        check(attribute.subAttributes ?? []);
      }
    };
    for (const { attributes } of Resources) check(attributes);
  });

  it("describes rich info as a list of fields, and as a map with the fields of the settings", async () => {
    const list = (await get(`/Schemas/${profileUrn}`)).body.attributes;
    expect(list).toMatchObject([
      {
        name: "richInfo",
        subAttributes: [
          { name: "version", type: "integer" },
          { name: "fields", multiValued: true, subAttributes: [{ name: "type" }, { name: "value" }] },
        ],
      },
    ]);
    expect((await get(`/Schemas/${extensionUrn}`)).body.attributes).toEqual([]);
    const { publicApi } = await stackWith({ scim: { richInfoFields: ["Department"] } });
    const { body } = await publicApi("GET", `/scim/v2/Schemas/${extensionUrn}`);
    expect(body.attributes).toMatchObject([{ name: "Department", type: "string", multiValued: false }]);
  });

  it("lists the attributes of a user that are used, and not those that are ignored or refused", async () => {
    const { body } = await get(`/Schemas/${core}User`);
    expect(body.attributes.map(({ name }: Attribute) => name)).toEqual([
      "externalId",
      "userName",
      "displayName",
      "active",
      "preferredLanguage",
      "emails",
      "roles",
    ]);
  });

  it("is found at addresses with a slash at their end, too", async () => {
    for (const path of ["/ServiceProviderConfig", "/Schemas", "/ResourceTypes", "/ResourceTypes/User"])
      expect((await get(`${path}/`)).body, path).toEqual((await get(path)).body);
  });

  it("is not searched together with users and groups", async () => {
    const { status, body } = await api("POST", "/scim/v2/.search", { json: {} });
    expect([status, body.status]).toEqual([501, "501"]);
  });

  it("lists users and groups as resource types", async () => {
    const { body } = await get("/ResourceTypes");
    expect(body).toMatchObject({ schemas: list, totalResults: 2 });
    expect(body.Resources).toMatchObject([
      {
        id: "User",
        name: "User",
        endpoint: "/Users",
        schema: `${core}User`,
        schemaExtensions: [
          { schema: extensionUrn, required: false },
          { schema: profileUrn, required: false },
        ],
      },
      { id: "Group", name: "Group", endpoint: "/Groups", schema: `${core}Group` },
    ]);
    for (const type of body.Resources) {
      expect((await get(`/ResourceTypes/${type.id}`)).body).toEqual(type);
      expect(type.meta.location).toBe(addressOf(`/ResourceTypes/${type.id}`));
    }
  });

  it.each([
    "/Schemas/urn:ietf:params:scim:schemas:extension:other:1.0:User",
    `/Schemas/${core}user`,
    "/Schemas/User",
    "/Schemas/constructor",
    "/ResourceTypes/Role",
    "/ResourceTypes/user",
    "/Bulk",
    "/Me",
    "/.search",
    "/",
    "",
  ])("has nothing at %s", async (path) => {
    const { status, body } = await get(path);
    expect({ status, body }).toMatchObject({
      status: 404,
      body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "404" },
    });
  });

  it("ignores credentials, whatever they are", async () => {
    const { status } = await api("GET", "/scim/v2/ServiceProviderConfig", { token: "garbage" });
    expect(status).toBe(200);
  });
});
