import { beforeAll, describe, expect, it } from "vitest";
import { itemsMentioning } from "../../support/all-items.ts";
import { type Api, type ApiAnswer, api, outcome } from "../../support/api.ts";
import { isOneOf } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import {
  createProvider,
  deleteProvider,
  knownTo,
  newSsoTeam,
  registeredProvider,
  type UploadOptions,
} from "../../support/identity-providers.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { concurrently, each, either, only, overtake, overtaking, race } from "../../support/races.ts";
import { logInBySaml, newIdentityProvider, verdictOf } from "../../support/saml.ts";
import { times } from "../../support/soak.ts";
import { stackWith } from "../../support/stack-with.ts";
import type { Team } from "../../support/teams.ts";

const v2 = { query: { api_version: "v2" } };
const providersOf = async ({ owner }: Team, publicApi = api) =>
  (await publicApi("GET", "/identity-providers", owner)).body.providers;

describe.concurrent("concurrent admins", () => {
  const teams = times(3, 6);
  const create = ({ owner }: Team, metadata: string, options: UploadOptions = {}): Promise<ApiAnswer> =>
    createProvider(owner, metadata, options);
  const newTeams = async () => ({
    teams: await concurrently(teams, () => newSsoTeam()),
    metadata: (await newIdentityProvider()).metadata(),
  });

  race("of several teams share no issuer in version 1", {
    given: newTeams,
    contenders: teams,
    act: (scene, index) => create(scene.teams[index] as Team, scene.metadata),
    outcomes: only("201", "400 idp-already-in-use"),
  });

  race("of a team share no issuer in version 2", {
    given: async () => ({ team: await newSsoTeam(), metadata: (await newIdentityProvider()).metadata() }),
    contenders: 6,
    act: ({ team, metadata }) => create(team, metadata, v2),
    outcomes: only("201", "400 idp-already-in-use"),
    holds: async ({ team }) => expect(await providersOf(team)).toHaveLength(1),
  });

  race("do not mix the versions of an issuer", {
    given: newTeams,
    contenders: teams,
    act: (scene, index) => create(scene.teams[index] as Team, scene.metadata, index % 2 === 0 ? v2 : {}),
    outcomes: each("201", "400 idp-already-in-use", "409 cannot-mix-idp-api-verions"),
    holds: async (_, answers) => {
      const created = answers.filter(({ status }) => status === 201);
      const versions = new Set(created.map(({ body }) => body.extraInfo.apiVersion));
      const expected = versions.has("SvcIdPAPIV1") ? 1 : Math.ceil(teams / 2);
      expect([versions.size, created.length]).toEqual([1, expected]);
    },
  });

  const maxIdentityProviders = times(2, 4);

  race("do not exceed the number of identity providers, or give two of them one handle", {
    given: async () => {
      const { publicApi, ...stack } = await stackWith({ saml: { maxIdentityProviders } });
      const idps = await concurrently(maxIdentityProviders + 4, () => newIdentityProvider());
      return { team: await newSsoTeam({ ...stack, publicApi }), publicApi, idps };
    },
    contenders: maxIdentityProviders + 4,
    rounds: 1,
    act: ({ team, publicApi, idps }, index) => create(team, idps[index]?.metadata() ?? "", { publicApi }),
    outcomes: only("201", "403 insufficient-permissions", maxIdentityProviders),
    holds: async ({ team, publicApi }) => {
      const handles = (await providersOf(team, publicApi)).map(
        ({ extraInfo }: { extraInfo: { handle: string } }) => extraInfo.handle,
      );
      expect(handles).toEqual(handles.map((_: string, index: number) => `IdP ${index + 1}`));
    },
  });

  const newRegistered = async () => {
    const team = await newSsoTeam();
    return { team, idp: await newIdentityProvider(), old: await registeredProvider(team) };
  };

  race("may both delete one identity provider", {
    given: newRegistered,
    contenders: 12,
    act: ({ team, old }) => deleteProvider(team.owner, old.id),
    outcomes: only("204", "404 not-found"),
  });

  race("may replace and delete an identity provider in any order", {
    given: newRegistered,
    act: [
      ({ team, idp, old }) => create(team, idp.metadata(), { query: { replaces: old.id } }),
      ({ team, old }) => deleteProvider(team.owner, old.id),
    ],
    outcomes: either("201, 204", "404 not-found, 204"),
    holds: async ({ team, old }, [created]) => {
      const isCreated = created?.status === 201;
      expect(await providersOf(team)).toEqual(isCreated ? [created.body] : []);
      if (isCreated) expect(created.body.extraInfo.oldIssuers).toEqual([old.idp.issuer]);
    },
  });
});

describe("on a stack of their own,", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await ownStack();
  });
  const publicApi: Api = (...request) => stack.publicApi(...request);

  /** A team with an identity provider. */
  async function newCompany(options: UploadOptions = v2) {
    const team = await newSsoTeam(stack);
    const { id, idp } = await registeredProvider(team, { ...options, publicApi });
    const clocked = await newIdentityProvider({ ...idp, clock: stack.clock });
    const logIn = (text?: string) =>
      logInBySaml(
        { id, teamId: team.id, apiVersion: "v2" },
        clocked,
        text === undefined ? {} : { nameId: { text } },
        { publicApi },
      );
    return {
      team,
      id,
      idp,
      logIn,
      remove: (isPurge?: boolean) =>
        deleteProvider(team.owner, id, { publicApi, ...(isPurge !== undefined && { isPurge }) }),
      register: () => createProvider(team.owner, idp.metadata(), { ...v2, publicApi }),
      memberIds: async () => {
        const { body } = await publicApi("GET", `/teams/${team.id}/members`, team.owner);
        return body.members.map(({ user }: { user: string }) => user);
      },
    };
  }

  /** The same company with a directory, which creates its users. */
  async function newProvisioned() {
    const company = await newCompany();
    const { id, team } = company;
    const token = await provisioningData({ prefix: stack.prefix }).newToken(team.id, { idpId: id });
    const json = { userName: `ada-${id.slice(0, 8)}`, externalId: "ada" };
    return { ...company, token, createUser: () => publicApi("POST", "/scim/v2/Users", { token, json }) };
  }

  /** The decision to remove a provider has been made. */
  const removes = ({ id }: { id: string }) => ({
    action: "TransactWriteItems",
    mentions: [`idp#${id}`, '"Delete"'],
  });
  /** The provider of a new user has been read. */
  const creates = () => ({ action: "TransactWriteItems", mentions: "ADD referenceCount" });
  const deletesUser = () => ({ action: "TransactWriteItems", mentions: "user.delete" });

  describe("the removal of an identity provider", () => {
    overtaking("notices a user who concurrently gets an account", {
      given: newProvisioned,
      act: ({ remove }) => remove(),
      before: removes,
      happens: ({ createUser }) => createUser(),
      outcome: "412 idp-has-bound-users",
      holds: async ({ token }, { other }) => {
        expect(other.status).toBe(201);
        const { body } = await publicApi("GET", `/scim/v2/Users/${other.body.id}`, { token });
        expect(body.active).toBe(true);
      },
    });

    overtaking("notices a user who logs in for the first time", {
      given: newCompany,
      act: ({ remove }) => remove(),
      before: removes,
      happens: ({ logIn }) => logIn(),
      outcome: "412 idp-has-bound-users",
      holds: async (_, { other }) => expect(verdictOf(other)).toBe("success"),
    });

    overtaking("with `purge` also deletes users who concurrently log in for the first time", {
      given: async () => {
        const company = await newCompany();
        await company.team.add("member", knownTo(company.idp.issuer, "known"));
        return company;
      },
      act: ({ remove }) => remove(true),
      before: removes,
      happens: ({ logIn }) => logIn(),
      outcome: "204",
      holds: async ({ team, memberIds }, { other }) => {
        expect(verdictOf(other)).toBe("success");
        const access = await publicApi("POST", "/access", { cookie: other.cookie ?? "" });
        expect(outcome(access)).toBe("403 invalid-credentials");
        expect(await memberIds()).toEqual([team.owner.id]);
      },
    });

    overtaking("refuses users who log in for the first time right after it", {
      given: newCompany,
      act: ({ logIn }) => logIn(),
      before: creates,
      happens: ({ remove }) => remove(),
      holds: async ({ team, memberIds }, { answer, other }) => {
        expect(other.status).toBe(204);
        expect([answer.status, verdictOf(answer), answer.cookie]).toEqual([404, "not-found", undefined]);
        expect(await memberIds()).toEqual([team.owner.id]);
      },
    });

    overtaking("refuses users whom a directory creates right after it", {
      given: newProvisioned,
      act: ({ createUser }) => createUser(),
      before: creates,
      happens: ({ remove }) => remove(),
      holds: async ({ register }, { answer, other }) => {
        expect(other.status).toBe(204);
        // The tokens of a directory go with its identity provider.
        expect(answer.status).toBe(401);
        expect((await register()).status).toBe(201);
      },
    });

    it("is decided again when a concurrent request has removed the provider", async () => {
      const { remove } = await newCompany({});
      let reads = 0;
      const end = injectFaults(({ action, body, isFirstAttempt }) => {
        if (action.endsWith("GetItem") && body.includes("issuer#") && isFirstAttempt) reads++;
        return undefined;
      });
      const [deleted] = await overtake(
        { action: ["GetItem", "BatchGetItem"], mentions: "issuer#" },
        remove,
        remove,
      ).finally(end);
      expect([outcome(deleted), reads]).toEqual(["404 not-found", 2]);
    });

    overtaking("leaves no removed provider behind as the default", {
      given: newCompany,
      act: ({ remove }) => remove(),
      before: removes,
      happens: ({ id }) => stack.internalApi("PUT", "/i/sso/settings", { json: { default_sso_code: id } }),
      outcome: "204",
      holds: async (_, { other }) => {
        expect(other.status).toBe(200);
        expect((await publicApi("GET", "/sso/settings")).body).toEqual({ default_sso_code: null });
      },
    });
  });

  describe("a purge", () => {
    async function companyToPurge(count: number) {
      const company = await newCompany();
      const { team, idp } = company;
      const users = await concurrently(count, (index) =>
        team.add("member", knownTo(idp.issuer, `user ${index}`)),
      );
      const statuses = async () => {
        const ids = users.map((user) => user.id).join(",");
        const { body } = await stack.internalApi("GET", `/i/users?ids=${ids}`);
        return new Set(body.map(({ status }: { status: string }) => status));
      };
      return { ...company, statuses };
    }

    it.for([
      // The function dies before it has deleted anybody.
      ["its function dies", 3, 1, ["active"]],
      // More users than are deleted concurrently.
      ["it takes too long", 18, 10, ["active", "deleted"]],
    ] as const)("is finished by a worker when %s", async ([cause, count, last, before]) => {
      const { statuses, remove, register } = await companyToPurge(count);
      let deletions = 0;
      const end = injectFaults((call) => {
        if (!isOneOf(deletesUser(), call) || ++deletions < last) return undefined;
        if (cause === "its function dies") return "dies-before";
        if (deletions === last) stack.advance(10);
        return undefined;
      });
      expect((await remove(true).finally(end)).status).toBe(204);
      expect(await statuses()).toEqual(new Set(before));
      if (cause === "its function dies") expect(outcome(await register())).toBe("400 idp-already-in-use");
      // Until then, the job leaves the work to the function.
      stack.advance(100);
      await eventually(async () => expect(await statuses()).toEqual(new Set(["deleted"])));
      await eventually(async () => expect((await register()).status).toBe(201));
    });

    overtaking("spares users who move to the replacement before it reaches them", {
      given: async () => {
        const old = await newCompany();
        const user = await old.team.add("member", knownTo(old.idp.issuer, "ada"));
        const query = { ...v2.query, replaces: old.id };
        const { id, idp } = await registeredProvider(old.team, { query, publicApi });
        const clocked = await newIdentityProvider({ ...idp, clock: stack.clock });
        const registered = { id, teamId: old.team.id, apiVersion: "v2" as const };
        const move = () => logInBySaml(registered, clocked, { nameId: { text: "ada" } }, { publicApi });
        return { old, user, move };
      },
      act: ({ old }) => old.remove(true),
      before: deletesUser,
      happens: ({ move }) => move(),
      outcome: "204",
      holds: async ({ user }, { other }) => {
        const access = await publicApi("POST", "/access", { cookie: other.cookie ?? "" });
        expect([access.status, access.body.user]).toEqual([200, user.id]);
      },
    });

    it("does not touch users of an identity provider that is registered afterwards", async () => {
      const { team, idp, remove, register } = await companyToPurge(2);
      expect((await remove(true)).status).toBe(204);
      expect((await register()).status).toBe(201);
      const user = await team.add("member", knownTo(idp.issuer, "user 1"));
      const hasOrder = async () => {
        const { outbox = [] } = await itemsMentioning(team.id, stack.prefix, ["outbox"]);
        return JSON.stringify(outbox).includes("delete-bound-users");
      };
      expect(await hasOrder()).toBe(true);
      stack.advance(100);
      await eventually(async () => expect(await hasOrder()).toBe(false));
      const { body } = await stack.internalApi("GET", `/i/users?ids=${user.id}`);
      expect(body).toMatchObject([{ status: "active" }]);
    });
  });
});
