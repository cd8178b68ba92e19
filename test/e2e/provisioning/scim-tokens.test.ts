import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { stopOwnStacks } from "../../support/own-stack.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

afterAll(stopOwnStacks);

const data = provisioningData();
const certificates = ["MIIB"];
const nameId = { text: "ada" };

const create = (
  { token, password }: Pick<User, "token"> & Partial<User>,
  json: object = {},
  version = "/v8",
) => api("POST", `${version}/scim/auth-tokens`, { token, json: { description: "", password, ...json } });
const list = async ({ token }: Pick<User, "token">, version = "/v8") =>
  (await api("GET", `${version}/scim/auth-tokens`, { token })).body.tokens;
const rename = ({ token }: Pick<User, "token">, id: string, name: unknown) =>
  api("PUT", `/v8/scim/auth-tokens/${id}`, { token, json: { name } });
const remove = ({ token }: Pick<User, "token">, id: string) =>
  api("DELETE", `/scim/auth-tokens?id=${id}`, { token });
/** Whether the service accepts a token. */
const use = async (token: string) => outcome(await api("GET", "/scim/v2/Groups", { token }));
const refused = "401 scim-error";

const setStatus = ({ id }: Pick<User, "id">, status: string) =>
  internalApi("PUT", `/i/users/${id}/status`, { json: { status } });

describe.concurrent("creating a token", () => {
  it("returns its text once, and later only what the list shows", async () => {
    const { id, owner } = await newTeam();
    const { status, body, headers } = await create(owner, { description: "Staff directory", name: "Staff" });
    expect(status).toBe(201);
    expect(body.token).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(body.info).toEqual({
      id: expect.any(String),
      team: id,
      description: "Staff directory",
      name: "Staff",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(headers.get("cache-control")).toBe("no-cache, no-store");
    expect(await list(owner)).toEqual([body.info]);
    expect(await use(body.token)).toBe("200");
  });

  it("stores a hash of it only", async () => {
    const { id, owner } = await newTeam();
    const { token } = (await create(owner)).body;
    const { tokens } = await data.teams.get(id);
    expect(JSON.stringify(tokens)).not.toContain(token);
    expect(tokens[0]?.hash).toMatch(/^sha512:[A-Za-z0-9+/]{86}==$/);
  });

  it.for([
    ["member", "403 insufficient-permissions"],
    ["partner", "403 insufficient-permissions"],
    ["admin", "403 insufficient-permissions"],
    ["owner", "201"],
  ] as const)("is allowed for owners, and answers a %s with %s", async ([role, expected]) => {
    const team = await newTeam();
    const user = await team.add(role);
    expect(outcome(await create(user))).toBe(expected);
    const rights = expected === "201" ? "200" : expected;
    expect(outcome(await api("GET", "/scim/auth-tokens", user))).toBe(rights);
    expect(outcome(await rename(user, randomUUID(), "x"))).toBe(rights);
    expect(outcome(await remove(user, randomUUID()))).toBe(expected === "201" ? "204" : expected);
  });

  it("is refused to users who are in no team or not active", async () => {
    const [stranger, team] = await Promise.all([newUser(), newTeam()]);
    const [suspended] = await Promise.all([team.add("owner")]);
    await setStatus(suspended, "suspended");
    for (const user of [stranger, suspended]) {
      expect(outcome(await create(user))).toBe("403 no-team-member");
      expect(outcome(await remove(user, randomUUID()))).toBe("403 no-team-member");
    }
  });

  it("is refused to internal callers who act for nobody", async () => {
    const json = { description: "", password: "correct horse battery" };
    for (const answer of [
      await internalApi("POST", "/scim/auth-tokens", { json }),
      await internalApi("GET", "/v7/scim/auth-tokens"),
      await internalApi("PUT", `/v8/scim/auth-tokens/${randomUUID()}`, { json: { name: "x" } }),
      await internalApi("DELETE", `/scim/auth-tokens?id=${randomUUID()}`),
    ])
      expect(outcome(answer)).toBe("400 client-error");
    expect(outcome(await api("GET", "/scim/auth-tokens"))).toBe("401 unauthorized");
  });

  it("is refused with a wrong password, or without one", async () => {
    const { owner } = await newTeam();
    for (const password of ["wrong password", undefined]) {
      expect(outcome(await create({ ...owner, password }))).toBe("403 access-denied");
    }
    expect(await list(owner)).toEqual([]);
  });

  it("accepts no password from users without one", async () => {
    const { owner } = await newTeam();
    await accountEditor().change(owner, { passwordHash: undefined });
    expect(outcome(await create(owner))).toBe("403 access-denied");
    expect(outcome(await create({ ...owner, password: undefined }))).toBe("201");
  });

  it("needs no password from users of an identity provider, but checks one that is given", async () => {
    const samlIdentity = { issuer: `https://${randomUUID()}.example.com`, nameId };
    const { owner } = await newTeam({ owner: { provisioned: { samlIdentity } } });
    expect(outcome(await create({ ...owner, password: undefined }))).toBe("201");
    expect(outcome(await create(owner))).toBe("201");
    expect(outcome(await create({ ...owner, password: "wrong password" }))).toBe("403 access-denied");
  });

  it("needs the password of users provisioned without an identity provider", async () => {
    const { owner } = await newTeam({ owner: { provisioned: { managedByScim: true } } });
    expect(outcome(await create({ ...owner, password: undefined }))).toBe("403 access-denied");
    expect(outcome(await create(owner))).toBe("201");
  });

  it("requires the code that was mailed, where a second factor is required", async () => {
    const team = await newTeam();
    const { owner } = team;
    const feature = { status: "enabled", lockStatus: "unlocked" };
    await internalApi("PATCH", `/i/teams/${team.id}/features/sndFactorPasswordChallenge`, { json: feature });
    expect(outcome(await create(owner))).toBe("403 code-authentication-required");
    const order = { action: "create_scim_token", email: owner.email };
    expect((await api("POST", "/verification-code/send", { json: order })).status).toBe(200);
    expect(outcome(await create(owner, { verification_code: "nonsense" }))).toBe(
      "403 code-authentication-failed",
    );
    const path = `/i/users/${owner.id}/verification-code/create_scim_token`;
    const { body: verification_code } = await internalApi("GET", path);
    const wrong = { ...owner, password: "wrong password" };
    expect(outcome(await create(wrong, { verification_code }))).toBe("403 access-denied");
    expect(outcome(await create(owner, { verification_code }))).toBe("201");
  });

  it("checks rights before the password, and the password before the limit", async () => {
    const stack = await stackWith({ maxScimTokens: 1 });
    const team = await newTeam({}, stack);
    const member = await team.add("member");
    const createHere = ({ token }: User, password: string, json: object = {}) =>
      stack.publicApi("POST", "/v8/scim/auth-tokens", {
        token,
        json: { description: "", password, ...json },
      });
    expect(outcome(await createHere(member, "wrong password"))).toBe("403 insufficient-permissions");
    expect(outcome(await createHere(team.owner, team.owner.password))).toBe("201");
    expect(outcome(await createHere(team.owner, "wrong password"))).toBe("403 access-denied");
    const idp = randomUUID();
    expect(outcome(await createHere(team.owner, team.owner.password, { idp }))).toBe(
      "403 token-limit-reached",
    );
  });

  it("stops at the limit, however many tokens are created concurrently", async () => {
    const { owner } = await newTeam();
    const answers = await Promise.all(Array.from({ length: 40 }, () => create(owner)));
    const outcomes = Map.groupBy(answers, outcome);
    expect(outcomes.get("201")).toHaveLength(16);
    expect([...outcomes.keys()].filter((one) => one !== "409 concurrent-change").sort()).toEqual([
      "201",
      "403 token-limit-reached",
    ]);
    expect(await list(owner)).toHaveLength(16);
    expect(outcome(await create(owner))).toBe("403 token-limit-reached");
    const [first] = await list(owner);
    await remove(owner, first.id);
    expect(outcome(await create(owner))).toBe("201");
  });

  it("is refused in a team that is being deleted", async () => {
    const team = await newTeam();
    const { status } = await api("DELETE", `/teams/${team.id}`, {
      token: team.owner.token,
      json: { password: team.owner.password },
    });
    expect(status).toBe(202);
    expect(outcome(await create(team.owner))).toBe("403 no-team-member");
  });
});

describe.concurrent("the identity provider of a token", () => {
  const newProviders = async (team: Team, count: number) => {
    const providers = [];
    for (let one = 0; one < count; one++) providers.push(await data.newProvider(team.id, { certificates }));
    return providers.map(({ id }) => id);
  };

  it("is the one named in the request, which must be the team's", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const [idp, another] = await newProviders(team, 2);
    const [foreign] = await newProviders(other, 1);
    for (const version of ["/v8", "/v9", ""]) {
      const { body } = await create(team.owner, { idp: another }, version);
      expect(body.info.idp).toBe(another);
    }
    for (const unknown of [foreign, randomUUID()]) {
      expect(outcome(await create(team.owner, { idp: unknown }))).toBe("404 not-found");
    }
    expect((await create(team.owner, { idp: idp?.toUpperCase() })).body.info.idp).toBe(idp);
  });

  it("is absent if a request in version 8 or without a version does not name it", async () => {
    const team = await newTeam();
    await newProviders(team, 1);
    for (const version of ["/v8", "/v9", ""]) {
      const { body } = await create(team.owner, {}, version);
      expect(body.info).not.toHaveProperty("idp");
    }
  });

  it("is the only one of the team up to version 7, whatever the request names", async () => {
    const team = await newTeam();
    expect((await create(team.owner, {}, "/v6")).body.info).not.toHaveProperty("idp");
    const [idp] = await newProviders(team, 1);
    for (const version of ["/v0", "/v6", "/v7"]) {
      const { body } = await create(team.owner, { idp: randomUUID() }, version);
      expect(body.info.idp).toBe(idp);
    }
    await newProviders(team, 1);
    expect(outcome(await create(team.owner, {}, "/v6"))).toBe("400 more-than-one-idp");
    expect(outcome(await create(team.owner, {}, "/v8"))).toBe("201");
  });
});

describe.concurrent("the name of a token", () => {
  it("is its id unless the request has another, and can be changed", async () => {
    const { owner } = await newTeam();
    const { info } = (await create(owner)).body;
    expect(info.name).toBe(info.id);
    const { status, body } = await rename(owner, info.id, "Staff");
    expect({ status, body }).toEqual({ status: 200, body: [] });
    expect(await list(owner)).toEqual([{ ...info, name: "Staff" }]);
    expect((await list(owner, ""))[0].name).toBe("Staff");
  });

  it("does not exist up to version 7", async () => {
    const { owner } = await newTeam();
    const { info } = (await create(owner, { name: "Staff" }, "/v7")).body;
    expect(info).not.toHaveProperty("name");
    expect((await list(owner, "/v7"))[0]).not.toHaveProperty("name");
    expect((await list(owner))[0].name).toBe(info.id);
    const json = { name: "x" };
    const { status } = await api("PUT", `/v7/scim/auth-tokens/${info.id}`, { token: owner.token, json });
    expect(status).toBe(404);
  });

  it("is not changed by another team's owner, or by renaming an unknown token", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const { info } = (await create(team.owner)).body;
    expect((await rename(other.owner, info.id, "Mine")).status).toBe(200);
    expect((await rename(team.owner, randomUUID(), "Nobody's")).status).toBe(200);
    expect(await list(team.owner)).toEqual([info]);
  });
});

describe.concurrent("a token", () => {
  it("is listed with the others, oldest first", async () => {
    const { owner } = await newTeam();
    for (const description of ["first", "second", "third"]) await create(owner, { description });
    const descriptions = (await list(owner)).map((token: { description: string }) => token.description);
    expect(descriptions).toEqual(["first", "second", "third"]);
  });

  it("is refused once it is deleted; deleting it again, or another team's token, changes nothing", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const { token, info } = (await create(team.owner)).body;
    expect((await remove(other.owner, info.id)).status).toBe(204);
    expect(await use(token)).toBe("200");
    expect((await remove(team.owner, info.id)).status).toBe(204);
    expect(await use(token)).toBe(refused);
    expect(await list(team.owner)).toEqual([]);
    expect((await remove(team.owner, info.id)).status).toBe(204);
  });

  it("stays valid when its creator loses the right to create it", async () => {
    const team = await newTeam();
    const creator = await team.add("owner");
    const { token } = (await create(creator)).body;
    await setStatus(creator, "suspended");
    expect(await use(token)).toBe("200");
  });

  it("gives access to SCIM only, and nothing else gives access to SCIM", async () => {
    const { owner } = await newTeam();
    const { token } = (await create(owner)).body;
    for (const path of ["/self", "/scim/auth-tokens", "/v8/teams/notifications"]) {
      expect(outcome(await api("GET", path, { token }))).toBe("401 unauthorized");
    }
    expect(await use(owner.token)).toBe(refused);
    expect(await use("")).toBe(refused);
  });

  it("is the same under every version", async () => {
    const { owner } = await newTeam();
    const { token } = (await create(owner)).body;
    for (const version of ["", "/v0", "/v8", "/v9"]) {
      expect((await api("GET", `${version}/scim/v2/Groups`, { token })).status).toBe(200);
    }
  });
});
