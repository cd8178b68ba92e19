import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ApiAnswer, api, internalApi } from "../../support/api.ts";
import { newDirectory } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import {
  createProvider,
  deleteProvider,
  knownTo,
  newSsoTeam,
  updateProvider,
} from "../../support/identity-providers.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { concurrently, counted, overtaking, race } from "../../support/races.ts";
import {
  finalizeLogin,
  initiateLogin,
  type LoginRequest,
  logInBySaml,
  newIdentityProvider,
  samlNames,
  verdictOf,
} from "../../support/saml.ts";
import { times } from "../../support/soak.ts";

async function newCompany() {
  const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
  const { body } = await createProvider(team.owner, idp.metadata(), { query: { api_version: "v2" } });
  const registered = { id: body.id as string, teamId: team.id, apiVersion: "v2" as const };
  const nameId = { text: `subject-${randomUUID()}` };
  return {
    team,
    idp,
    registered,
    nameId,
    logIn: (provider = idp) => logInBySaml(registered, provider, { nameId }),
    answer: (request: LoginRequest) => finalizeLogin(registered, idp.respond(request)),
    memberIds: async () => {
      const { body: found } = await api("GET", `/teams/${team.id}/members`, { token: team.owner.token });
      return found.members.map(({ user }: { user: string }) => user);
    },
  };
}

const tokenOf = async ({ cookie }: ApiAnswer): Promise<string> =>
  (await api("POST", "/access", { cookie: cookie ?? "" })).body.access_token;
const idOf = async (login: ApiAnswer) => (await api("GET", "/self", { token: await tokenOf(login) })).body.id;
const verdicts = (answers: readonly ApiAnswer[]) => counted(answers.map(verdictOf));

describe.concurrent("a response that is posted many times concurrently", () => {
  for (const who of ["a newcomer", "a known user", "a user who moves"])
    race(`logs ${who} in only once`, {
      given: async () => {
        const company = await newCompany();
        const { team, idp, registered, nameId } = company;
        if (who !== "a newcomer") await company.logIn();
        const present = who === "a user who moves" ? await newIdentityProvider() : idp;
        if (present !== idp) await updateProvider(team.owner, registered.id, present.metadata());
        return { registered, response: present.respond(await initiateLogin(registered), { nameId }) };
      },
      contenders: 20,
      act: ({ registered, response }) => finalizeLogin(registered, response),
      holds: async (_, answers) => {
        expect(verdicts(answers)).toEqual({ success: 1, forbidden: answers.length - 1 });
        const [login, ...others] = answers.filter(({ cookie }) => cookie !== undefined);
        expect(others).toEqual([]);
        const { body } = await api("GET", "/cookies", { token: await tokenOf(login as ApiAnswer) });
        expect(body.cookies).toHaveLength(who === "a newcomer" ? 1 : 2);
      },
    });
});

describe("a login during which the user loses the account", () => {
  const opensSession = ({ userId }: { userId: string }) => ({
    action: "TransactWriteItems",
    mentions: `user#${userId}`,
  });

  overtaking("is denied when the user is suspended", {
    given: async () => {
      const company = await newCompany();
      const { id } = await company.team.add("member", knownTo(company.idp.issuer, company.nameId.text));
      return { ...company, userId: id };
    },
    act: ({ logIn }) => logIn(),
    before: opensSession,
    happens: ({ userId }) =>
      internalApi("PUT", `/i/users/${userId}/status`, { json: { status: "suspended" } }),
    holds: async (_, { answer, other }) => {
      expect(other.status).toBe(200);
      expect([verdictOf(answer), answer.cookie]).toEqual(["suspended", undefined]);
    },
  });

  overtaking("is denied when the directory deletes the user meanwhile, who is not created again", {
    given: async () => {
      const { team, idp, registered } = await newCompany();
      const bound = await (await newDirectory({ team })).sibling({ idpId: registered.id });
      const { body: user } = await bound.create();
      const nameId = { text: user.externalId, format: samlNames.email };
      const logIn = () => logInBySaml(registered, idp, { nameId });
      return { bound, user, userId: user.id as string, logIn };
    },
    act: ({ logIn }) => logIn(),
    before: opensSession,
    happens: ({ bound, userId }) => bound.remove(userId),
    holds: async ({ bound, user }, { answer, other }) => {
      expect(other.status).toBe(204);
      expect([verdictOf(answer), answer.cookie]).toEqual(["not-found", undefined]);
      const { body } = await internalApi("GET", `/i/users?ids=${user.id}`);
      expect(body).toMatchObject([{ status: "deleted" }]);
      expect((await bound.find(`externalId eq "${user.externalId}"`)).body.Resources).toEqual([]);
    },
  });
});

describe.concurrent("concurrent first logins of one user", () => {
  race("create one account", {
    given: newCompany,
    contenders: 8,
    act: ({ logIn }) => logIn(),
    holds: async ({ memberIds }, answers) => {
      expect(verdicts(answers)).toEqual({ success: answers.length });
      expect(new Set(await Promise.all(answers.map(idOf))).size).toBe(1);
      expect(await memberIds()).toHaveLength(2);
    },
  });

  race("move one account when the issuer has changed", {
    given: async () => {
      const company = await newCompany();
      const id = await idOf(await company.logIn());
      const next = await newIdentityProvider();
      await updateProvider(company.team.owner, company.registered.id, next.metadata());
      return { ...company, id, next };
    },
    contenders: 8,
    act: ({ logIn, next }) => logIn(next),
    holds: async ({ id }, answers) => {
      expect(verdicts(answers)).toEqual({ success: answers.length });
      expect(new Set(await Promise.all(answers.map(idOf)))).toEqual(new Set([id]));
    },
  });
});

describe.concurrent("logins that overlap with a change of their team", () => {
  const count = times(3, 10);

  /** Logins during a change. @returns how many have succeeded */
  async function logInDuring(change: (company: Awaited<ReturnType<typeof newCompany>>) => Promise<unknown>) {
    const company = await newCompany();
    const requests = await concurrently(count, () => initiateLogin(company.registered));
    const changed = change(company);
    const answers = await Promise.all(requests.map(company.answer));
    await changed;
    const { success = 0, "not-found": refused = 0 } = verdicts(answers);
    expect(success + refused).toBe(count);
    return { ...company, success };
  }

  it("create no account through a removed provider", async () => {
    const { team, memberIds } = await logInDuring(async ({ team: { owner }, registered }) =>
      expect((await deleteProvider(owner, registered.id, { isPurge: true })).status).toBe(204),
    );
    await eventually(async () => expect(await memberIds()).toEqual([team.owner.id]));
  });

  it("create no account after a directory has taken over", async () => {
    const { memberIds, success } = await logInDuring(({ team }) => provisioningData().newToken(team.id));
    expect(await memberIds()).toHaveLength(1 + success);
  });
});
