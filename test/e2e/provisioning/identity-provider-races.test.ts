import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { itemsMentioning } from "../../support/all-items.ts";
import { api, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import {
  createProvider,
  deleteProvider,
  knownTo,
  newSsoTeam,
  registeredProvider,
} from "../../support/identity-providers.ts";
import { type OwnStack, ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { newIdentityProvider } from "../../support/saml.ts";
import type { Team } from "../../support/teams.ts";

const maxIdentityProviders = 4;
let stack: OwnStack;
beforeAll(async () => {
  stack = await ownStack({ saml: { maxIdentityProviders } });
});
afterAll(stopOwnStacks);

const v2 = { query: { api_version: "v2" } };
const providersOf = async ({ owner }: Team, publicApi = api) =>
  (await publicApi("GET", "/identity-providers", owner)).body.providers;

describe.concurrent("concurrent admins", () => {
  it("of several teams share no issuer in version 1", async () => {
    const [teams, idp] = [
      await Promise.all(Array.from({ length: 6 }, () => newSsoTeam())),
      await newIdentityProvider(),
    ];
    const answers = await Promise.all(teams.map(({ owner }) => createProvider(owner, idp.metadata())));
    expect(answers.map(outcome).toSorted()).toEqual([
      "201",
      ...Array.from({ length: 5 }, () => "400 idp-already-in-use"),
    ]);
  });

  it("of a team share no issuer in version 2", async () => {
    const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => createProvider(team.owner, idp.metadata(), v2)),
    );
    expect(answers.map(outcome).toSorted()).toEqual([
      "201",
      ...Array.from({ length: 5 }, () => "400 idp-already-in-use"),
    ]);
    expect(await providersOf(team)).toHaveLength(1);
  });

  it("do not mix the versions of an issuer", async () => {
    const [teams, idp] = [
      await Promise.all(Array.from({ length: 6 }, () => newSsoTeam())),
      await newIdentityProvider(),
    ];
    const answers = await Promise.all(
      teams.map(({ owner }, index) => createProvider(owner, idp.metadata(), index % 2 === 0 ? v2 : {})),
    );
    const created = answers.filter(({ status }) => status === 201);
    const versions = new Set(created.map(({ body }) => body.extraInfo.apiVersion));
    expect([versions.size, created.length]).toEqual([1, versions.has("SvcIdPAPIV1") ? 1 : 3]);
    for (const { status } of answers) expect(status).toBeLessThan(500);
  });

  it("do not exceed the number of identity providers, or give two of them one handle", async () => {
    const team = await newSsoTeam(stack);
    const idps = await Promise.all(
      Array.from({ length: maxIdentityProviders + 4 }, () => newIdentityProvider()),
    );
    const answers = await Promise.all(
      idps.map((idp) => createProvider(team.owner, idp.metadata(), { publicApi: stack.publicApi })),
    );
    expect(answers.map(outcome).toSorted()).toEqual([
      ...Array.from({ length: maxIdentityProviders }, () => "201"),
      ...Array.from({ length: 4 }, () => "403 insufficient-permissions"),
    ]);
    const handles = (await providersOf(team, stack.publicApi)).map(
      (provider: { extraInfo: { handle: string } }) => provider.extraInfo.handle,
    );
    expect(handles).toEqual(["IdP 1", "IdP 2", "IdP 3", "IdP 4"]);
  });

  it("may replace and delete an identity provider in any order", async () => {
    for (let round = 0; round < 4; round++) {
      const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
      const old = await registeredProvider(team);
      const [created, deleted] = await Promise.all([
        createProvider(team.owner, idp.metadata(), { query: { replaces: old.id } }),
        deleteProvider(team.owner, old.id),
      ]);
      expect(deleted.status).toBe(204);
      expect(["201", "404 not-found"]).toContain(outcome(created));
      expect(await providersOf(team)).toEqual(created.status === 201 ? [created.body] : []);
      if (created.status === 201) expect(created.body.extraInfo.oldIssuers).toEqual([old.idp.issuer]);
    }
  });
});

describe.concurrent("the removal of an identity provider", () => {
  it("overlooks no user who gets an account at the same time", async () => {
    for (let round = 0; round < 5; round++) {
      const team = await newSsoTeam();
      const { id, idp } = await registeredProvider(team, v2);
      const token = await provisioningData().newToken(team.id, { idpId: id });
      const json = { userName: `ada${Math.random().toString(36).slice(2)}`, externalId: "ada" };
      const [created, deleted] = await Promise.all([
        api("POST", "/scim/v2/Users", { token, json }),
        deleteProvider(team.owner, id),
      ]);
      const outcomes = [created.status, deleted.status];
      expect(outcomes).toEqual(created.status === 201 ? [201, 412] : [expect.any(Number), 204]);
      expect(created.status).toBeLessThan(500);
      if (created.status === 201) continue;
      expect((await createProvider(team.owner, idp.metadata(), v2)).status).toBe(201);
    }
  });

  it("and the choice of the default leave no default that is gone", async () => {
    const own = await ownStack({}, { prefix: stack.prefix });
    for (let round = 0; round < 5; round++) {
      const team = await newSsoTeam(own);
      const { id } = await registeredProvider(team, { publicApi: own.publicApi });
      const [chosen, deleted] = await Promise.all([
        own.internalApi("PUT", "/i/sso/settings", { json: { default_sso_code: id } }),
        deleteProvider(team.owner, id, own),
      ]);
      expect(["200", "404 not-found"]).toContain(outcome(chosen));
      expect(deleted.status).toBe(204);
      expect((await own.publicApi("GET", "/sso/settings")).body).toEqual({ default_sso_code: null });
    }
  });
});

// One after the other, because faults concern the whole file.
describe("a purge", () => {
  async function teamToPurge(count: number) {
    const team = await newSsoTeam(stack);
    const { id, idp } = await registeredProvider(team, { ...v2, publicApi: stack.publicApi });
    const users = await Promise.all(
      Array.from({ length: count }, (_, index) => team.add("member", knownTo(idp.issuer, `user ${index}`))),
    );
    const statuses = async () => {
      const ids = users.map((user) => user.id).join(",");
      const { body } = await stack.internalApi("GET", `/i/users?ids=${ids}`);
      return new Set(body.map(({ status }: { status: string }) => status));
    };
    const purge = () => deleteProvider(team.owner, id, { isPurge: true, publicApi: stack.publicApi });
    const register = () => createProvider(team.owner, idp.metadata(), { ...v2, publicApi: stack.publicApi });
    return { team, idp, statuses, purge, register };
  }

  it("is finished by a worker when its function dies", async () => {
    const { statuses, purge, register } = await teamToPurge(5);
    const end = injectFaults(({ service, action, body }) =>
      service === "dynamodb" && action === "TransactWriteItems" && body.includes("user.delete")
        ? "dies-before"
        : undefined,
    );
    expect((await purge()).status).toBe(204);
    expect(await statuses()).toEqual(new Set(["active"]));
    expect(outcome(await register())).toBe("400 idp-already-in-use");
    end();
    // Until then, the order waits for the function that has died.
    stack.advance(100);
    await eventually(async () => expect(await statuses()).toEqual(new Set(["deleted"])));
    await eventually(async () => expect((await register()).status).toBe(201));
  });

  it("is finished by a worker when it takes long", async () => {
    const { statuses, purge, register } = await teamToPurge(20);
    let deleted = 0;
    const end = injectFaults(({ service, action, body }) => {
      if (service === "dynamodb" && action === "TransactWriteItems" && body.includes("user.delete"))
        if (++deleted === 10) stack.advance(10);
      return undefined;
    });
    expect((await purge()).status).toBe(204);
    expect(await statuses()).toEqual(new Set(["active", "deleted"]));
    end();
    stack.advance(100);
    await eventually(async () => expect(await statuses()).toEqual(new Set(["deleted"])));
    await eventually(async () => expect((await register()).status).toBe(201));
  });

  it("does not touch users of an identity provider that is registered afterwards", async () => {
    const { team, idp, purge, register } = await teamToPurge(2);
    expect((await purge()).status).toBe(204);
    expect((await register()).status).toBe(201);
    const user = await team.add("member", knownTo(idp.issuer, "user 1"));
    const hasOrder = async () =>
      JSON.stringify((await itemsMentioning(team.id, stack.prefix)).outbox ?? []).includes(
        "delete-bound-users",
      );
    expect(await hasOrder()).toBe(true);
    stack.advance(100);
    await eventually(async () => expect(await hasOrder()).toBe(false));
    const { body } = await stack.internalApi("GET", `/i/users?ids=${user.id}`);
    expect(body).toMatchObject([{ status: "active" }]);
  });
});
