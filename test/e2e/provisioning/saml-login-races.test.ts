import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { api } from "../../support/api.ts";
import { newDirectory } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import {
  createProvider,
  deleteProvider,
  knownTo,
  newSsoTeam,
  updateProvider,
} from "../../support/identity-providers.ts";
import { stopOwnStacks } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { provisioningData } from "../../support/provisioning.ts";
import {
  finalizeLogin,
  initiateLogin,
  logInBySaml,
  newIdentityProvider,
  samlNames,
  verdictOf,
} from "../../support/saml.ts";

async function newCompany() {
  const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
  const { body } = await createProvider(team.owner, idp.metadata(), { query: { api_version: "v2" } });
  return { team, idp, registered: { id: body.id as string, teamId: team.id, apiVersion: "v2" as const } };
}

const tokenOf = async (cookie: string | undefined): Promise<string> =>
  (await api("POST", "/access", { cookie })).body.access_token;
const selfOf = async (cookie: string | undefined) =>
  (await api("GET", "/self", { token: await tokenOf(cookie) })).body;
const newNameId = () => ({ text: `subject-${randomUUID()}` });
const times = <Result>(count: number, act: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, act));
const counted = (verdicts: readonly (string | undefined)[]) =>
  Object.fromEntries([...Map.groupBy(verdicts, String)].map(([verdict, all]) => [verdict, all.length]));

describe.concurrent("a response that is posted many times concurrently", () => {
  it.for(["a newcomer", "a known user", "a user who moves"])("logs %s in only once", async (who) => {
    const { team, idp, registered } = await newCompany();
    const nameId = newNameId();
    if (who !== "a newcomer") await logInBySaml(registered, idp, { nameId });
    const present = who === "a user who moves" ? await newIdentityProvider() : idp;
    if (present !== idp) await updateProvider(team.owner, registered.id, present.metadata());
    const response = present.respond(await initiateLogin(registered), { nameId });
    const answers = await times(20, () => finalizeLogin(registered, response));
    expect(counted(answers.map(verdictOf))).toEqual({ success: 1, forbidden: 19 });
    const cookies = answers.flatMap(({ cookie }) => cookie ?? []);
    expect(cookies).toHaveLength(1);
    const { body } = await api("GET", "/cookies", { token: await tokenOf(cookies[0]) });
    expect(body.cookies).toHaveLength(who === "a newcomer" ? 1 : 2);
  });
});

describe("a login during which the user loses the account", () => {
  afterAll(stopOwnStacks);

  it("is denied when the user is suspended", async () => {
    const stack = await stackWith();
    const { publicApi, internalApi } = stack;
    const [team, idp] = [await newSsoTeam(stack), await newIdentityProvider({ clock: stack.clock })];
    const { body } = await createProvider(team.owner, idp.metadata(), {
      query: { api_version: "v2" },
      publicApi,
    });
    const registered = { id: body.id, teamId: team.id, apiVersion: "v2" as const };
    const nameId = newNameId();
    const { id } = await team.add("member", knownTo(idp.issuer, nameId.text));
    let suspension: ReturnType<typeof internalApi> | undefined;
    const end = interceptAwsCalls(async ({ service, action, body: call }, send) => {
      const isSession =
        service === "dynamodb" && action === "TransactWriteItems" && call.includes(`user#${id}`);
      if (isSession && suspension === undefined) {
        suspension = internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } });
        await suspension;
      }
      return send();
    });
    const answer = await logInBySaml(registered, idp, { nameId }, { publicApi });
    end();
    expect((await suspension)?.status).toBe(200);
    expect([verdictOf(answer), answer.cookie]).toEqual(["suspended", undefined]);
  });

  it("is denied when the directory deletes the user meanwhile, who is not created again", async () => {
    const stack = await stackWith();
    const directory = await newDirectory({ team: await newSsoTeam(stack) }, stack);
    const idp = await newIdentityProvider({ clock: stack.clock });
    const { body } = await createProvider(directory.team.owner, idp.metadata(), {
      query: { api_version: "v2" },
      publicApi: stack.publicApi,
    });
    const registered = { id: body.id, teamId: directory.team.id, apiVersion: "v2" as const };
    const bound = await directory.sibling({ idpId: body.id });
    const { body: user } = await bound.create();
    let removal: ReturnType<typeof bound.remove> | undefined;
    const end = interceptAwsCalls(async ({ service, action, body: call }, send) => {
      const isSession =
        service === "dynamodb" && action === "TransactWriteItems" && call.includes(`user#${user.id}`);
      if (isSession && removal === undefined) {
        removal = bound.remove(user.id);
        await removal;
      }
      return send();
    });
    const nameId = { text: user.externalId, format: samlNames.email };
    const answer = await logInBySaml(registered, idp, { nameId }, { publicApi: stack.publicApi });
    end();
    expect((await removal)?.status).toBe(204);
    expect([verdictOf(answer), answer.cookie]).toEqual(["not-found", undefined]);
    expect((await stack.internalApi("GET", `/i/users?ids=${user.id}`)).body).toMatchObject([
      { status: "deleted" },
    ]);
    expect((await bound.find(`externalId eq "${user.externalId}"`)).body.Resources).toEqual([]);
  });
});

describe.concurrent("concurrent first logins of one user", () => {
  it("create one account", async () => {
    const { team, idp, registered } = await newCompany();
    const nameId = newNameId();
    const answers = await times(8, () => logInBySaml(registered, idp, { nameId }));
    expect(counted(answers.map(verdictOf))).toEqual({ success: 8 });
    const ids = await Promise.all(answers.map(async ({ cookie }) => (await selfOf(cookie)).id));
    expect(new Set(ids).size).toBe(1);
    const { body } = await api("GET", `/teams/${team.id}/members`, { token: team.owner.token });
    expect(body.members).toHaveLength(2);
  });

  it("move one account when the issuer has changed", async () => {
    const { team, idp, registered } = await newCompany();
    const nameId = newNameId();
    const { id } = await selfOf((await logInBySaml(registered, idp, { nameId })).cookie);
    const next = await newIdentityProvider();
    await updateProvider(team.owner, registered.id, next.metadata());
    const answers = await times(8, () => logInBySaml(registered, next, { nameId }));
    expect(counted(answers.map(verdictOf))).toEqual({ success: 8 });
    for (const { cookie } of answers) expect((await selfOf(cookie)).id).toBe(id);
  });
});

describe.concurrent("a login that overlaps with a change of its team", () => {
  it("creates no account through a removed provider", async () => {
    const { team, idp, registered } = await newCompany();
    const requests = await times(10, () => initiateLogin(registered));
    const [removed, ...answers] = await Promise.all([
      deleteProvider(team.owner, registered.id, { isPurge: true }),
      ...requests.map((request) => finalizeLogin(registered, idp.respond(request))),
    ]);
    expect(removed.status).toBe(204);
    const verdicts = counted(answers.map(verdictOf));
    expect((verdicts.success ?? 0) + (verdicts["not-found"] ?? 0)).toBe(10);
    await eventually(async () => {
      const { body } = await api("GET", `/teams/${team.id}/members`, { token: team.owner.token });
      expect(body.members).toMatchObject([{ user: team.owner.id }]);
    });
  });

  it("creates no account after a directory has taken over", async () => {
    const { team, idp, registered } = await newCompany();
    const requests = await times(10, () => initiateLogin(registered));
    const isTakenOver = provisioningData().newToken(team.id);
    const answers = await Promise.all(
      requests.map((request) => finalizeLogin(registered, idp.respond(request))),
    );
    await isTakenOver;
    const { success = 0, "not-found": refused = 0 } = counted(answers.map(verdictOf));
    expect(success + refused).toBe(10);
    const { body } = await api("GET", `/teams/${team.id}/members`, { token: team.owner.token });
    expect(body.members).toHaveLength(1 + success);
  });
});
