import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { type Api, api, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import {
  createProvider,
  deleteProvider,
  knownTo,
  newSsoTeam,
  registeredProvider,
} from "../../support/identity-providers.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { logInBySaml, newIdentityProvider, verdictOf } from "../../support/saml.ts";
import type { Team } from "../../support/teams.ts";

const maxIdentityProviders = 4;
let stack: OwnStack;
beforeAll(async () => {
  stack = await stackWith({ saml: { maxIdentityProviders } });
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
    const refusals = ["400 idp-already-in-use", "409 cannot-mix-idp-api-verions"];
    for (const answer of answers) expect(["201", ...refusals]).toContain(outcome(answer));
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

  it("may both delete one identity provider", async () => {
    const team = await newSsoTeam();
    const { id } = await registeredProvider(team);
    const answers = await Promise.all(Array.from({ length: 12 }, () => deleteProvider(team.owner, id)));
    const others = Array.from({ length: 11 }, () => "404 not-found");
    expect(answers.map(outcome).toSorted()).toEqual(["204", ...others]);
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

// One after the other, because faults concern the whole file.
describe("the removal of an identity provider", () => {
  const publicApi: Api = (...request) => stack.publicApi(...request);

  /** Do something else between the decision to remove a provider and the transaction. */
  function meanwhile<Result>(id: string, task: () => Promise<Result>) {
    let result: Promise<Result> | undefined;
    const end = interceptAwsCalls(async ({ service, action, body }, send) => {
      const isRemoval =
        service === "dynamodb" && action === "TransactWriteItems" && body.includes(`idp#${id}`);
      if (isRemoval && body.includes('"Delete"') && result === undefined) {
        result = task();
        await result;
      }
      return send();
    });
    return { result: () => result, end };
  }

  it("notices a user who concurrently gets an account", async () => {
    const team = await newSsoTeam(stack);
    const { id } = await registeredProvider(team, { ...v2, publicApi });
    const token = await provisioningData({ prefix: stack.prefix }).newToken(team.id, { idpId: id });
    const json = { userName: `ada-${id.slice(0, 8)}`, externalId: "ada" };
    const { result, end } = meanwhile(id, () => publicApi("POST", "/scim/v2/Users", { token, json }));
    const deleted = await deleteProvider(team.owner, id, { publicApi });
    end();
    expect(outcome(deleted)).toBe("412 idp-has-bound-users");
    const created = await result();
    expect(created?.status).toBe(201);
    const { body } = await publicApi("GET", `/scim/v2/Users/${created?.body.id}`, { token });
    expect(body.active).toBe(true);
  });

  it("notices a user who logs in for the first time", async () => {
    const team = await newSsoTeam(stack);
    const { id, idp } = await registeredProvider(team, { ...v2, publicApi });
    const registered = { id, teamId: team.id, apiVersion: "v2" as const };
    const clocked = await newIdentityProvider({ ...idp, clock: stack.clock });
    const { result, end } = meanwhile(id, () => logInBySaml(registered, clocked, {}, { publicApi }));
    const deleted = await deleteProvider(team.owner, id, { publicApi });
    end();
    const login = await result();
    expect(login && verdictOf(login)).toBe("success");
    expect(outcome(deleted)).toBe("412 idp-has-bound-users");
  });

  it("with `purge` also deletes users who concurrently log in for the first time", async () => {
    const team = await newSsoTeam(stack);
    const { id, idp } = await registeredProvider(team, { ...v2, publicApi });
    const known = await team.add("member", knownTo(idp.issuer, "known"));
    const registered = { id, teamId: team.id, apiVersion: "v2" as const };
    const clocked = await newIdentityProvider({ ...idp, clock: stack.clock });
    const { result, end } = meanwhile(id, () => logInBySaml(registered, clocked, {}, { publicApi }));
    expect((await deleteProvider(team.owner, id, { isPurge: true, publicApi })).status).toBe(204);
    end();
    const login = await result();
    expect(login && verdictOf(login)).toBe("success");
    const headers = { cookie: `zuid=${login?.cookie}` };
    expect(outcome(await publicApi("POST", "/access", { headers }))).toBe("403 invalid-credentials");
    const { body } = await publicApi("GET", `/teams/${team.id}/members`, team.owner);
    const members = body.members.map(({ user }: { user: string }) => user);
    expect(members).toEqual([team.owner.id]);
    expect(members).not.toContain(known.id);
  });

  it("refuses users who log in for the first time right after it", async () => {
    const team = await newSsoTeam(stack);
    const { id, idp } = await registeredProvider(team, { ...v2, publicApi });
    const registered = { id, teamId: team.id, apiVersion: "v2" as const };
    const clocked = await newIdentityProvider({ ...idp, clock: stack.clock });
    let isRemoved = false;
    const end = interceptAwsCalls(async ({ service, action, body }, send) => {
      const isCreation =
        service === "dynamodb" && action === "TransactWriteItems" && body.includes("ADD referenceCount");
      if (isCreation && !isRemoved) {
        isRemoved = true;
        expect((await deleteProvider(team.owner, id, { publicApi })).status).toBe(204);
      }
      return send();
    });
    const login = await logInBySaml(registered, clocked, {}, { publicApi });
    end();
    expect([isRemoved, login.status, verdictOf(login)]).toEqual([true, 404, "not-found"]);
    expect(login.cookie).toBeUndefined();
    const { body } = await publicApi("GET", `/teams/${team.id}/members`, team.owner);
    expect(body.members).toHaveLength(1);
  });

  it("is decided again when a concurrent request has removed the provider", async () => {
    const team = await newSsoTeam(stack);
    const { id } = await registeredProvider(team, { publicApi });
    let reads = 0;
    const end = interceptAwsCalls(async ({ service, action, body, isFirstAttempt }, send) => {
      const isGet = service === "dynamodb" && action.endsWith("GetItem");
      const isIssuer = isGet && body.includes("issuer#") && isFirstAttempt;
      if (isIssuer && ++reads === 1) await deleteProvider(team.owner, id, { publicApi });
      return send();
    });
    const deleted = await deleteProvider(team.owner, id, { publicApi });
    end();
    expect([outcome(deleted), reads]).toEqual(["404 not-found", 2]);
  });

  it("leaves no removed provider behind as the default", async () => {
    const team = await newSsoTeam(stack);
    const { id } = await registeredProvider(team, { publicApi });
    const json = { default_sso_code: id };
    const { result, end } = meanwhile(id, () => stack.internalApi("PUT", "/i/sso/settings", { json }));
    expect((await deleteProvider(team.owner, id, { publicApi })).status).toBe(204);
    end();
    expect((await result())?.status).toBe(200);
    expect((await publicApi("GET", "/sso/settings")).body).toEqual({ default_sso_code: null });
  });

  it("refuses users who log in right after it", async () => {
    const team = await newSsoTeam(stack);
    const { id, idp } = await registeredProvider(team, { ...v2, publicApi });
    const token = await provisioningData({ prefix: stack.prefix }).newToken(team.id, { idpId: id });
    let isRemoved = false;
    const end = interceptAwsCalls(async ({ service, action, body }, send) => {
      const isCreation =
        service === "dynamodb" && action === "TransactWriteItems" && body.includes("referenceCount");
      if (isCreation && !isRemoved) {
        isRemoved = true;
        expect((await deleteProvider(team.owner, id, { publicApi })).status).toBe(204);
      }
      return send();
    });
    const json = { userName: `bob-${id.slice(0, 8)}`, externalId: "bob" };
    const created = await publicApi("POST", "/scim/v2/Users", { token, json });
    end();
    expect(isRemoved).toBe(true);
    // The tokens of a directory go with its identity provider.
    expect(created.status).toBe(401);
    expect((await createProvider(team.owner, idp.metadata(), { ...v2, publicApi })).status).toBe(201);
  });
});

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
    // Until then, the job leaves the work to the function, which has died.
    stack.advance(100);
    await eventually(async () => expect(await statuses()).toEqual(new Set(["deleted"])));
    await eventually(async () => expect((await register()).status).toBe(201));
  });

  it("is finished by a worker when it takes too long", async () => {
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

  it("spares users who move to the replacement before it reaches them", async () => {
    const publicApi: Api = (...request) => stack.publicApi(...request);
    const team = await newSsoTeam(stack);
    const old = await registeredProvider(team, { ...v2, publicApi });
    const user = await team.add("member", knownTo(old.idp.issuer, "ada"));
    const replacement = await registeredProvider(team, {
      query: { ...v2.query, replaces: old.id },
      publicApi,
    });
    const registered = { id: replacement.id, teamId: team.id, apiVersion: "v2" as const };
    const clocked = await newIdentityProvider({ ...replacement.idp, clock: stack.clock });
    const nameId = { text: "ada" };
    let login: ReturnType<typeof logInBySaml> | undefined;
    const end = interceptAwsCalls(async ({ service, action, body }, send) => {
      const isDeletion =
        service === "dynamodb" && action === "TransactWriteItems" && body.includes("user.delete");
      if (isDeletion && login === undefined) {
        login = logInBySaml(registered, clocked, { nameId }, { publicApi });
        await login;
      }
      return send();
    });
    expect((await deleteProvider(team.owner, old.id, { isPurge: true, publicApi })).status).toBe(204);
    end();
    const headers = { cookie: `zuid=${(await login)?.cookie}` };
    const access = await publicApi("POST", "/access", { headers });
    expect([access.status, access.body.user]).toEqual([200, user.id]);
  });

  it("does not touch users of an identity provider that is registered afterwards", async () => {
    const { team, idp, purge, register } = await teamToPurge(2);
    expect((await purge()).status).toBe(204);
    expect((await register()).status).toBe(201);
    const user = await team.add("member", knownTo(idp.issuer, "user 1"));
    const hasOrder = async () =>
      JSON.stringify((await itemsMentioning(team.id, stack.prefix, ["outbox"])).outbox ?? []).includes(
        "delete-bound-users",
      );
    expect(await hasOrder()).toBe(true);
    stack.advance(100);
    await eventually(async () => expect(await hasOrder()).toBe(false));
    const { body } = await stack.internalApi("GET", `/i/users?ids=${user.id}`);
    expect(body).toMatchObject([{ status: "active" }]);
  });
});
