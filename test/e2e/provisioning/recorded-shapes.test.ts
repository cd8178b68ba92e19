import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { type Directory, newDirectory, newUserFields } from "../../support/directory.ts";
import { createProvider, newSsoTeam } from "../../support/identity-providers.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import { directoryShapes, providerShapes } from "../../support/recorded-shapes.ts";
import { logInBySaml, newIdentityProvider, sharedKey, verdictOf } from "../../support/saml.ts";
import { stackWith } from "../../support/stack-with.ts";

afterAll(stopOwnStacks);

describe.concurrent("an identity provider in the shape of", () => {
  it.for(providerShapes)(
    "$name › is registered by its metadata, and logs users in with the names in their attributes",
    async (shape) => {
      const key = await sharedKey("usual");
      const provider = await newIdentityProvider({ key });
      const team = await newSsoTeam();
      const metadata = shape.metadata(provider.issuer, key);
      const created = await createProvider(team.owner, metadata, { query: { api_version: "v2" } });
      expect(outcome(created)).toBe("201");
      const registered = { id: created.body.id, teamId: team.id, apiVersion: "v2" } as const;
      const path = `/identity-providers/${created.body.id}/attributes`;
      await api("PUT", path, { token: team.owner.token, json: { status: "enabled" } });
      const answer = await logInBySaml(registered, provider, shape.fields, shape.options?.(key));
      expect(verdictOf(answer)).toBe("success");
      const { body: access } = await api("POST", "/access", { cookie: answer.cookie });
      const self = await api("GET", "/self", { token: access.access_token });
      expect(self.body.name).toBe("Ada Lovelace");
    },
  );
});

describe.concurrent("a directory that", () => {
  it.for(directoryShapes)("$name › creates, finds and changes a user", async (shape) => {
    const directory = await newDirectory({ hasProvider: true });
    const id = randomUUID();
    const handle = `ada.${id.slice(0, 18)}`;
    const person = { handle, email: `${handle}@example.com`, externalId: id };
    const sent = shape.create(person);
    const { status, body } = await directory.create(sent);
    expect([status, body.userName, body.emails]).toEqual([201, sent.userName, [{ value: person.email }]]);
    const found = await directory.find(`userName eq "${sent.userName.toLowerCase()}"`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: body.id }] });
    if (shape.replace !== undefined) {
      const replaced = await directory.replace(body.id, { ...shape.replace(person, body) });
      expect(replaced).toMatchObject({
        status: 200,
        body: { userName: sent.userName, displayName: "Ada Lovelace" },
      });
    }
    for (const [what, operations, expected] of shape.patches(person)) {
      const answer = await directory.patch(body.id, operations as Record<string, unknown>[]);
      expect(answer.body, what).toMatchObject(expected);
    }
  });

  it.for(directoryShapes)("$name › fills a group", async ({ groupSearch, groupPatches }) => {
    const directory = await newDirectory({ hasProvider: true });
    const send = async (method: string, path: string, json?: object) =>
      (await api(method, `/scim/v2/Groups${path}`, { token: directory.token, json })).body;
    const [one, other] = (await Promise.all([directory.create(), directory.create()])).map(
      ({ body }) => body.id,
    );
    const search = groupSearch?.("Engineering");
    if (search !== undefined) expect((await send("GET", `?${search}`)).totalResults).toBe(0);
    const { id } = await send("POST", "", { displayName: "Engineering", externalId: "e-1", members: [] });
    if (search !== undefined) expect((await send("GET", `?${search}`)).Resources).toMatchObject([{ id }]);
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
    for (const [what, Operations, expected] of groupPatches({ one, other, groupId: id })) {
      const answer = await send("PATCH", `/${id}`, { schemas, Operations });
      expect(answer, what).toMatchObject(expected);
      expect(await send("GET", `/${id}`), what).toEqual(answer);
    }
  });
});

describe("a list of users without a filter", () => {
  const list = ({ publicApi }: OwnStack, { token }: Directory, query = "") =>
    publicApi("GET", `/scim/v2/Users${query}`, { token });

  it("has the users of the directory in pages when the settings say so, and adopts nobody", async () => {
    const stack = await stackWith({ scim: { listsUsers: true } });
    const directory = await newDirectory({ hasProvider: true }, stack);
    await directory.team.add();
    expect((await list(stack, directory)).body).toMatchObject({ totalResults: 0, Resources: [] });
    const created: { id: string }[] = [];
    for (let count = 0; count < 3; count++)
      created.push((await directory.create(newUserFields({ externalId: randomUUID() }))).body);
    const whole = (await list(stack, directory)).body;
    expect(whole).toMatchObject({ totalResults: 3, itemsPerPage: 3, startIndex: 1 });
    expect(whole.Resources).toEqual(expect.arrayContaining(created));
    const second = (await list(stack, directory, "?startIndex=2&count=1")).body;
    expect(second).toMatchObject({ totalResults: 3, itemsPerPage: 1, startIndex: 2 });
    expect(second.Resources).toEqual([whole.Resources[1]]);
    const counted = (await list(stack, directory, "?startIndex=-5&count=0")).body;
    expect(counted).toMatchObject({ totalResults: 3, itemsPerPage: 0, startIndex: 1, Resources: [] });
    expect((await list(stack, directory, "?startIndex=9")).body).toMatchObject({ Resources: [] });
    const names = (await list(stack, directory, "?attributes=userName&count=1")).body.Resources[0];
    expect(Object.keys(names).sort()).toEqual(["id", "schemas", "userName"]);

    const other = await newDirectory({}, stack);
    expect((await list(stack, other)).body).toMatchObject({ totalResults: 0 });
    await directory.remove((created[0] as { id: string }).id);
    expect((await list(stack, directory)).body.Resources).toHaveLength(2);
  });
});

describe("an identity provider without TLS", () => {
  it("is registered on a loopback address when the settings say so, and nowhere else", async () => {
    const stack = await stackWith({ saml: { allowsHttpOnLoopback: true } });
    const team = await newSsoTeam(stack);
    const register = async (requestUri: string) => {
      const idp = await newIdentityProvider({ requestUri });
      return outcome(await createProvider(team.owner, idp.metadata(), { publicApi: stack.publicApi }));
    };
    expect(await register("http://localhost:8180/realms/a/protocol/saml")).toBe("201");
    expect(await register("http://127.0.0.1:8180/saml")).toBe("201");
    for (const address of ["http://localhost.example.com/", "http://192.0.2.1/", "ftp://localhost/"])
      expect(await register(address), address).toBe("400 idp-must-be-https");
  });
});
