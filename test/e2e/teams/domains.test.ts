import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { type Api, type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { type DnsServer, startDnsServer } from "../../support/dns-server.ts";
import { eventually } from "../../support/eventually.ts";
import { messagesTo } from "../../support/messages.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newEmail, newUser, type User } from "../../support/users.ts";

const forbidden = "403 operation-forbidden-for-domain-registration-state";
const wrongToken = "401 domain-registration-update-auth-failure";
const notPaid = "402 domain-registration-update-payment-required";
const auditor = newEmail();
const configUrl = "https://backend.example/config.json";
const webappUrl = "https://backend.example/app";

let dns: DnsServer;
let stack: OwnStack;
beforeAll(async () => {
  dns = await startDnsServer();
  stack = await stackWith({
    domainVerification: {
      resolvers: [dns.address],
      timeoutMilliseconds: 5000,
      rateLimitPerIp: { burst: 1, refillSeconds: 0 },
      maxDomainsPerTeam: 3,
      auditRecipient: auditor,
    },
    domainRegistration: { defaults: { status: "enabled", lockStatus: "unlocked" } },
  });
});
afterAll(async () => {
  await stopOwnStacks();
  dns.stop();
});

/** A domain that no other test uses. */
const newDomain = () => `${randomUUID()}.example`;

interface Challenge {
  readonly id: string;
  readonly token: string;
  readonly dns_verification_token: string;
}

const post = (path: string, json?: unknown, token?: string): Promise<ApiAnswer> =>
  stack.publicApi("POST", path, { json, ...(token !== undefined && { token }) });
const administer = (method: string, domain: string, call = "", json?: unknown) =>
  stack.internalApi(method, `/i/domain-registration/${domain}${call}`, { json });
const registered = async (domain: string) => (await administer("GET", domain)).body;
const lookUp = async (domain: string, version = 8) =>
  (await post(`/v${version}/get-domain-registration`, { email: `ada@${domain}` })).body;

async function newChallenge(domain: string): Promise<Challenge> {
  const { status, body } = await post(`/domain-verification/${domain}/challenges`);
  expect(status).toBe(200);
  return body;
}

const publish = (domain: string, ...texts: (string | string[])[]) => {
  dns.records.set(`svc-domain.${domain}`, texts);
};

/** Verify a challenge: with a user, for the user's team; otherwise as a stranger. */
const verify = (domain: string, { id, token }: Challenge, user?: User) =>
  post(
    `/domain-verification/${domain}${user === undefined ? "" : "/team"}/challenges/${id}`,
    { challenge_token: token },
    user?.token,
  );

/** Prove a domain, and return the token of its owner. */
async function owned(domain: string, user?: User): Promise<string> {
  const challenge = await newChallenge(domain);
  publish(domain, challenge.dns_verification_token);
  const { status, body } = await verify(domain, challenge, user);
  expect(status).toBe(200);
  return body.domain_ownership_token;
}

const authorize = (domain: string, ownership: string, user: User) =>
  post(`/domain-verification/${domain}/authorize-team`, { domain_ownership_token: ownership }, user.token);

/** Claim a domain for a team. */
async function claimed(domain: string, { owner }: Team): Promise<string> {
  const ownership = await owned(domain, owner);
  expect((await authorize(domain, ownership, owner)).status).toBe(200);
  return ownership;
}

const chooseBackend = (domain: string, ownership: string, json: unknown) =>
  post(`/domain-verification/${domain}/backend`, json, ownership);
const chooseRules = (domain: string, json: unknown, user: User) =>
  post(`/domain-verification/${domain}/team`, json, user.token);
const domainsOf = async ({ id, owner }: Team, version = 9) => {
  const { body } = await stack.publicApi("GET", `/v${version}/teams/${id}/registered-domains`, owner);
  return body.registered_domains;
};

describe.concurrent("verification of a domain", () => {
  it("fails without the TXT record, succeeds with it, and uses up the challenge", async () => {
    const domain = newDomain();
    await administer("POST", domain, "/preauthorize");
    const challenge = await newChallenge(domain);
    expect(challenge.token).toMatch(/^[\w-]{43}$/);
    expect(challenge.dns_verification_token).toMatch(/^[\w-]{43}$/);
    expect(outcome(await verify(domain, challenge))).toBe("403 domain-verification-failed");
    publish(domain, "something else", ` ${challenge.dns_verification_token}`);
    expect(outcome(await verify(domain, challenge))).toBe("403 domain-verification-failed");
    publish(domain, "something else", challenge.dns_verification_token);
    const { status, body } = await verify(domain, challenge);
    expect([status, body]).toEqual([200, { domain_ownership_token: expect.stringMatching(/^[\w-]{43}$/) }]);
    expect(outcome(await verify(domain, challenge))).toBe("404 challenge-not-found");
    expect((await registered(domain)).dns_verification_token).toBe(challenge.dns_verification_token);
  });

  it("finds a TXT record in several parts, even among too many records for a datagram", async () => {
    const domain = newDomain();
    await administer("POST", domain, "/preauthorize");
    const challenge = await newChallenge(domain);
    const text = challenge.dns_verification_token;
    publish(domain, ...Array(50).fill("something else"), [text.slice(0, 20), text.slice(20)]);
    expect((await verify(domain, challenge)).status).toBe(200);
  });

  it("of a domain that was never pre-authorized requires an admin of a team with the feature", async () => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    const challenge = await newChallenge(domain);
    publish(domain, challenge.dns_verification_token);
    expect(outcome(await verify(domain, challenge))).toBe(forbidden);
    const admin = await team.add("admin");
    expect((await verify(domain, challenge, admin)).status).toBe(200);
    expect(await registered(domain)).toEqual({
      domain,
      domain_redirect: "none",
      team_invite: "allowed",
      dns_verification_token: challenge.dns_verification_token,
    });
  });

  it("for a team is refused to strangers, then without the feature, then to members without the permission", async () => {
    const [domain, team, other, person] = await Promise.all([
      newDomain(),
      newTeam({}, stack),
      newTeam({}, stack),
      newUser({}, stack),
    ]);
    const [member, poorMember] = await Promise.all([team.add("member"), other.add("member")]);
    await switchFeatureOff(other.id);
    const challenge = await newChallenge(domain);
    const as = async (user: User) => outcome(await verify(domain, challenge, user));
    expect(await Promise.all([person, poorMember, other.owner, member].map(as))).toEqual([
      forbidden,
      notPaid,
      notPaid,
      forbidden,
    ]);
  });

  it("invalidates the token of an earlier one", async () => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    const first = await owned(domain, team.owner);
    const second = await owned(domain, team.owner);
    expect(outcome(await authorize(domain, first, team.owner))).toBe(wrongToken);
    expect((await authorize(domain, second, team.owner)).status).toBe(200);
  });

  it("requires the token and the domain of a challenge that has not expired", async () => {
    const [domain, other] = [newDomain(), newDomain()];
    await Promise.all([domain, other].map((one) => administer("POST", one, "/preauthorize")));
    const [challenge, foreign] = await Promise.all([newChallenge(domain), newChallenge(other)]);
    publish(domain, challenge.dns_verification_token, foreign.dns_verification_token);
    const wrong = { ...challenge, token: foreign.token };
    expect(outcome(await verify(domain, wrong))).toBe(wrongToken);
    expect(outcome(await verify(domain, foreign))).toBe(wrongToken);
    const unknown = { ...challenge, id: randomUUID() };
    expect(outcome(await verify(domain, unknown))).toBe("404 challenge-not-found");
    const malformed = { ...challenge, id: "1" };
    expect(outcome(await verify(domain, malformed))).toBe("400 bad-request");
    expect((await verify(domain, challenge)).status).toBe(200);
  });

  it("fails when the DNS does not answer, and can be tried again", async () => {
    const [domain, name] = [newDomain(), "svc-domain."];
    await administer("POST", domain, "/preauthorize");
    const challenge = await newChallenge(domain);
    publish(domain, challenge.dns_verification_token);
    dns.silent.add(name + domain);
    expect(outcome(await verify(domain, challenge))).toBe("403 domain-verification-failed");
    dns.silent.delete(name + domain);
    expect((await verify(domain, challenge)).status).toBe(200);
  });

  it("leaves other challenges of the domain valid", async () => {
    const domain = newDomain();
    await administer("POST", domain, "/preauthorize");
    const [one, other] = await Promise.all([newChallenge(domain), newChallenge(domain)]);
    publish(domain, one.dns_verification_token, other.dns_verification_token);
    expect((await verify(domain, one)).status).toBe(200);
    expect((await verify(domain, other)).status).toBe(200);
  });

  it("with a challenge that is used ten times concurrently succeeds once", async () => {
    const domain = newDomain();
    await administer("POST", domain, "/preauthorize");
    const challenge = await newChallenge(domain);
    publish(domain, challenge.dns_verification_token);
    const answers = await Promise.all(Array.from({ length: 10 }, () => verify(domain, challenge)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(outcome))).toEqual(
      new Set(["404 challenge-not-found"]),
    );
    const token = winners[0]?.body.domain_ownership_token;
    const choice = { domain_redirect: "no-registration" };
    expect((await chooseBackend(domain, token, choice)).status).toBe(200);
  });

  it("of a locked domain is refused from the start", async () => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    const challenge = await newChallenge(domain);
    publish(domain, challenge.dns_verification_token);
    await administer("POST", domain, "/lock");
    expect(outcome(await post(`/domain-verification/${domain}/challenges`))).toBe(forbidden);
    expect(outcome(await verify(domain, challenge))).toBe(forbidden);
    expect(outcome(await verify(domain, challenge, team.owner))).toBe(forbidden);
    expect(outcome(await verify(domain, challenge, await team.add()))).toBe(forbidden);
  });

  it("treats an internationalised domain as its ASCII form", async () => {
    const written = `Bücher-${randomUUID()}.Example`;
    const ascii = new URL(`http://${written}`).hostname;
    expect(ascii).toContain("xn--");
    const encoded = encodeURIComponent(written);
    await administer("POST", encoded, "/preauthorize");
    const challenge = await newChallenge(encoded);
    publish(ascii, challenge.dns_verification_token);
    expect((await verify(encoded, challenge)).status).toBe(200);
    expect((await registered(ascii)).domain).toBe(ascii);
    expect((await lookUp(written)).domain_redirect).toBe("pre-authorized");
  });

  it("fails for a name that is too long for the record", async () => {
    const label = "a".repeat(57);
    const domain = `${label}.${label}.${label}.${randomUUID()}.${"b".repeat(30)}.example`;
    expect(domain.length).toBeGreaterThan(242);
    await administer("POST", domain, "/preauthorize");
    const challenge = await newChallenge(domain);
    expect(outcome(await verify(domain, challenge))).toBe("403 domain-verification-failed");
  });
});

describe.concurrent("a team that claims a domain", () => {
  it("replaces another team, and the token stays valid", async () => {
    const domain = newDomain();
    const [one, other] = await Promise.all([newTeam({}, stack), newTeam({}, stack)]);
    const ownership = await claimed(domain, one);
    expect((await domainsOf(one)).map((found: { domain: string }) => found.domain)).toEqual([domain]);
    expect((await authorize(domain, ownership, other.owner)).status).toBe(200);
    expect((await registered(domain)).authorized_team).toBe(other.id);
    expect(await domainsOf(one)).toEqual([]);
    expect((await authorize(domain, ownership, one.owner)).status).toBe(200);
  });

  it("is refused without the token, and strangers learn nothing from the answer", async () => {
    const [domain, team, person] = [newDomain(), await newTeam({}, stack), await newUser({}, stack)];
    const ownership = await owned(domain, team.owner);
    expect(outcome(await authorize(domain, "x", team.owner))).toBe(wrongToken);
    expect(outcome(await authorize(newDomain(), ownership, team.owner))).toBe(wrongToken);
    expect(outcome(await authorize(domain, ownership, person))).toBe(forbidden);
    expect(outcome(await authorize(domain, ownership, await team.add()))).toBe(forbidden);
    await switchFeatureOff(team.id);
    expect(outcome(await authorize(domain, "x", team.owner))).toBe(notPaid);
  });

  it("is the only one of two that claim the domain concurrently", async () => {
    const domain = newDomain();
    const teams = await Promise.all(Array.from({ length: 5 }, () => newTeam({}, stack)));
    const ownership = await owned(domain, teams[0]?.owner);
    const answers = await Promise.all(teams.map(({ owner }) => authorize(domain, ownership, owner)));
    expect(new Set(answers.map(outcome))).toEqual(new Set(["200"]));
    const { authorized_team } = await registered(domain);
    for (const team of teams) expect(await domainsOf(team)).toHaveLength(team.id === authorized_team ? 1 : 0);
  });

  it("never keeps a domain that is concurrently locked", async () => {
    const team = await newTeam({}, stack);
    for (let round = 0; round < 3; round++) {
      const domain = newDomain();
      const ownership = await owned(domain, team.owner);
      const [answer] = await Promise.all([
        authorize(domain, ownership, team.owner),
        administer("POST", domain, "/lock"),
      ]);
      expect(["200", wrongToken]).toContain(outcome(answer));
      expect(await registered(domain)).toEqual({
        domain,
        domain_redirect: "locked",
        team_invite: "allowed",
        dns_verification_token: null,
      });
    }
    expect(await domainsOf(team)).toEqual([]);
  });

  it("loses its domains when it is deleted, and the one that it claims meanwhile", async () => {
    const [mine, next, team] = [newDomain(), newDomain(), await newTeam({}, stack)];
    await claimed(mine, team);
    const ownership = await owned(next, team.owner);
    const { token, password } = team.owner;
    const [answer, deletion] = await Promise.all([
      authorize(next, ownership, team.owner),
      stack.publicApi("DELETE", `/teams/${team.id}`, { token, json: { password } }),
    ]);
    expect(["200", forbidden]).toContain(outcome(answer));
    expect(deletion.status).toBe(202);
    await eventually(async () => {
      expect((await administer("GET", mine)).status).toBe(404);
      expect((await registered(next)).authorized_team).toBeUndefined();
      expect((await itemsMentioning(team.id, stack.prefix)).domains).toBeUndefined();
    });
  });

  it("cannot exceed its limit of domains", async () => {
    const team = await newTeam({}, stack);
    const proofs = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const domain = newDomain();
        return { domain, ownership: await owned(domain, team.owner) };
      }),
    );
    const answers = await Promise.all(
      proofs.map(({ domain, ownership }) => authorize(domain, ownership, team.owner)),
    );
    expect(answers.map(outcome).toSorted()).toEqual(["200", "200", "200", forbidden, forbidden]);
    expect(await domainsOf(team)).toHaveLength(3);
  });

  it("sees its domains in the form of the version", async () => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    await claimed(domain, team);
    const backend = { config_url: configUrl, webapp_url: webappUrl };
    await administer("PUT", domain, "", { domain_redirect: "backend", backend, team_invite: "not-allowed" });
    const record = {
      domain,
      authorized_team: team.id,
      domain_redirect: "backend",
      backend_url: configUrl,
      team_invite: "not-allowed",
      dns_verification_token: expect.any(String),
    };
    expect(await domainsOf(team, 8)).toEqual([record]);
    expect(await domainsOf(team, 9)).toEqual([{ ...record, backend }]);
  });

  it("is the only one to list and remove its domains", async () => {
    const [domain, team, other] = [newDomain(), await newTeam({}, stack), await newTeam({}, stack)];
    await claimed(domain, team);
    const member = await team.add();
    const list = async (user: User, id = team.id) =>
      outcome(await stack.publicApi("GET", `/teams/${id}/registered-domains`, { token: user.token }));
    const remove = async (user: User, id: string, name = domain) =>
      outcome(
        await stack.publicApi("DELETE", `/teams/${id}/registered-domains/${name}`, { token: user.token }),
      );
    expect(await Promise.all([list(other.owner), list(member), list(team.owner, randomUUID())])).toEqual([
      forbidden,
      forbidden,
      forbidden,
    ]);
    expect(await remove(other.owner, team.id)).toBe(forbidden);
    expect(await remove(member, team.id)).toBe(forbidden);
    expect(await remove(other.owner, other.id)).toBe(forbidden);
    expect(await remove(team.owner, team.id, newDomain())).toBe("404 not-found");
    expect(await remove(team.owner, team.id)).toBe("204");
    expect(await remove(team.owner, team.id)).toBe("404 not-found");
    expect((await administer("GET", domain)).status).toBe(404);
    await switchFeatureOff(team.id);
    expect(await Promise.all([list(team.owner), remove(team.owner, team.id), list(other.owner)])).toEqual([
      notPaid,
      notPaid,
      forbidden,
    ]);
  });

  it("chooses who may invite and whether people may register", async () => {
    const [domain, team, other] = [newDomain(), await newTeam({}, stack), await newTeam({}, stack)];
    const rules = async (json: unknown, { owner } = team) => outcome(await chooseRules(domain, json, owner));
    expect(await rules({ team_invite: "allowed" })).toBe(forbidden);
    await claimed(domain, team);
    expect(await rules({ team_invite: "team", team: team.id, domain_redirect: "no-registration" })).toBe(
      "200",
    );
    expect(await registered(domain)).toMatchObject({
      domain_redirect: "no-registration",
      team_invite: "team",
      team: team.id,
    });
    expect(await rules({ team_invite: "not-allowed" })).toBe("200");
    const { team: none, ...kept } = await registered(domain);
    expect([none, kept.domain_redirect, kept.team_invite]).toEqual([
      undefined,
      "no-registration",
      "not-allowed",
    ]);
    expect(await rules({ team_invite: "allowed" }, other)).toBe(forbidden);
    expect(await rules({ team_invite: "team", team: other.id })).toBe(forbidden);
    const provisioning = provisioningData({ prefix: stack.prefix });
    const [own, foreign] = await Promise.all(
      [team, other].map(({ id }) => provisioning.newProvider(id, { certificates: ["MII"] })),
    );
    for (const sso of [randomUUID(), foreign?.id])
      expect(await rules({ team_invite: "allowed", sso })).toBe(forbidden);
    expect(await rules({ team_invite: "allowed", sso: own?.id })).toBe("200");
    expect(await registered(domain)).toMatchObject({ domain_redirect: "sso", sso_code: own?.id });
    expect(await rules({ team_invite: "allowed", sso: randomUUID(), domain_redirect: "none" })).toBe(
      "400 bad-request",
    );
    expect(await rules({ team_invite: "team" })).toBe("400 bad-request");
    expect(await rules({ team_invite: "allowed", domain_redirect: "backend" })).toBe("400 bad-request");
    expect(await rules({ team_invite: "allowed", domain_redirect: "none" })).toBe("200");
    await administer("PUT", domain, "", {
      domain_redirect: "backend",
      backend: { config_url: configUrl },
      team_invite: "not-allowed",
    });
    expect(await rules({ team_invite: "allowed" })).toBe(forbidden);
  });
});

describe.concurrent("the owner of a domain", () => {
  it("chooses a backend in either form, and gets both in version 9", async () => {
    const domain = newDomain();
    await administer("POST", domain, "/preauthorize");
    const ownership = await owned(domain);
    const choose = async (json: unknown) => outcome(await chooseBackend(domain, ownership, json));
    expect(await choose({ domain_redirect: "backend", backend_url: configUrl })).toBe("200");
    const inV8 = { domain_redirect: "backend", backend_url: configUrl };
    expect(await lookUp(domain, 8)).toEqual(inV8);
    expect(await lookUp(domain, 9)).toEqual({ ...inV8, backend: { config_url: configUrl } });
    expect(await registered(domain)).toMatchObject({
      backend: { config_url: configUrl },
      team_invite: "not-allowed",
    });
    const backend = { config_url: configUrl, webapp_url: webappUrl };
    expect(await choose({ domain_redirect: "backend", backend })).toBe("200");
    expect(await lookUp(domain, 8)).toEqual(inV8);
    expect(await lookUp(domain, 9)).toEqual({ ...inV8, backend });
    expect(await choose({ domain_redirect: "remove" })).toBe("200");
    expect(await registered(domain)).toMatchObject({
      domain_redirect: "pre-authorized",
      team_invite: "not-allowed",
    });
    expect(await choose({ domain_redirect: "no-registration" })).toBe("200");
    expect(await lookUp(domain)).toEqual({ domain_redirect: "no-registration" });
  });

  it("requires the token, then the state, and URLs with https", async () => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    const path = `/domain-verification/${domain}/backend`;
    const json = { domain_redirect: "no-registration" };
    const ownership = await owned(domain, team.owner);
    expect(outcome(await stack.publicApi("POST", path, { json }))).toBe("400 bad-request");
    expect(outcome(await stack.publicApi("POST", `${path}?access_token=${ownership}`, { json }))).toBe(
      "400 bad-request",
    );
    expect(outcome(await chooseBackend(domain, "x", json))).toBe(wrongToken);
    expect(outcome(await chooseBackend(newDomain(), ownership, json))).toBe(wrongToken);
    expect(outcome(await chooseBackend(domain, ownership, json))).toBe(forbidden);
    for (const wrong of [
      { domain_redirect: "backend" },
      { domain_redirect: "backend", backend_url: "http://backend.example" },
      { domain_redirect: "backend", backend: { config_url: configUrl } },
      { domain_redirect: "backend", backend: { config_url: configUrl, webapp_url: "javascript:1" } },
      { domain_redirect: "sso" },
    ]) {
      expect(outcome(await chooseBackend(domain, ownership, wrong))).toBe("400 bad-request");
    }
  });
});

describe.concurrent("the operator", () => {
  it("moves a domain through its states", async () => {
    const domain = newDomain();
    const states: unknown[] = [];
    for (const call of [
      "unlock",
      "unauthorize",
      "preauthorize",
      "preauthorize",
      "unlock",
      "unauthorize",
      "unauthorize",
      "lock",
      "preauthorize",
      "unauthorize",
      "lock",
      "unlock",
      "unlock",
    ]) {
      const answer = outcome(await administer("POST", domain, `/${call}`));
      states.push([call, answer, (await registered(domain)).domain_redirect]);
    }
    expect(states).toEqual([
      ["unlock", "404 not-found", undefined],
      ["unauthorize", "404 not-found", undefined],
      ["preauthorize", "204", "pre-authorized"],
      ["preauthorize", "204", "pre-authorized"],
      ["unlock", forbidden, "pre-authorized"],
      ["unauthorize", "204", "none"],
      ["unauthorize", "204", "none"],
      ["lock", "204", "locked"],
      ["preauthorize", forbidden, "locked"],
      ["unauthorize", forbidden, "locked"],
      ["lock", "204", "locked"],
      ["unlock", "204", "none"],
      ["unlock", forbidden, "none"],
    ]);
    expect((await administer("DELETE", domain)).status).toBe(204);
    expect((await administer("DELETE", domain)).status).toBe(204);
    expect(outcome(await administer("GET", domain))).toBe("404 not-found");
  });

  it("sets rules, and keeps tokens and the team", async () => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    const ownership = await claimed(domain, team);
    const put = async (json: unknown) => outcome(await administer("PUT", domain, "", json));
    const identityProvider = randomUUID();
    const rules = { domain_redirect: "sso", sso_code: identityProvider, team_invite: "team", team: team.id };
    expect(await put(rules)).toBe("204");
    expect(await registered(domain)).toEqual({
      ...rules,
      domain,
      authorized_team: team.id,
      dns_verification_token: expect.any(String),
    });
    expect((await authorize(domain, ownership, team.owner)).status).toBe(200);
    expect(outcome(await administer("POST", domain, "/unauthorize"))).toBe(forbidden);
    expect(await put({ domain_redirect: "locked", team_invite: "not-allowed" })).toBe(forbidden);
    const backend = { config_url: configUrl };
    expect(await put({ domain_redirect: "backend", backend, team_invite: "allowed" })).toBe(forbidden);
    for (const wrong of [
      { domain_redirect: "sso", team_invite: "allowed" },
      { domain_redirect: "backend", team_invite: "not-allowed" },
      { domain_redirect: "none", team_invite: "team" },
      { domain_redirect: "none" },
      { domain_redirect: "elsewhere", team_invite: "allowed" },
    ]) {
      expect(await put(wrong)).toBe("400 bad-request");
    }
  });

  it("has an auditor who is told of changes only, with old and new values", async () => {
    const domain = newDomain();
    await administer("DELETE", domain);
    const rules = { domain_redirect: "no-registration", team_invite: "allowed" };
    await administer("PUT", domain, "", rules);
    await administer("PUT", domain, "", rules);
    const subject = `Registration of ${domain} changed: update`;
    const last = `Registration of ${domain} changed: lock`;
    await administer("POST", domain, "/lock");
    const aboutDomain = async () =>
      (await messagesTo(auditor)).filter((message) => message.subject?.includes(domain));
    const mails = await eventually(async () => {
      const found = await aboutDomain();
      expect(found).toHaveLength(2);
      return found;
    });
    expect(mails.map((mail) => mail.subject).toSorted()).toEqual([last, subject].toSorted());
    const mail = mails.find((one) => one.subject === subject);
    expect(mail?.html).toBeUndefined();
    const record = { domain, ...rules, dns_verification_token: null };
    expect(mail?.text).toContain(`Before:\nnull\n\nAfter:\n${JSON.stringify(record, null, 2)}`);
  });

  it("does not exist on the public API", async () => {
    for (const [method, call] of [
      ["GET", ""],
      ["PUT", ""],
      ["POST", "/lock"],
    ] as const) {
      const answer = await stack.publicApi(method, `/i/domain-registration/${newDomain()}${call}`);
      expect(answer.status).toBe(404);
    }
  });
});

describe.concurrent("the look-up of an address", () => {
  it("tells users with an account to keep it, even if their domain has another backend", async () => {
    const domain = newDomain();
    const email = `Grace+tag@${domain.toUpperCase()}`;
    await newUser({ email: `grace@${domain}` }, stack);
    await administer("PUT", domain, "", {
      domain_redirect: "backend",
      backend: { config_url: configUrl },
      team_invite: "not-allowed",
    });
    const { body } = await post("/get-domain-registration", { email });
    expect(body).toEqual({ domain_redirect: "no-registration", due_to_existing_account: true });
    expect(await lookUp(domain)).toEqual({ domain_redirect: "backend", backend_url: configUrl });
  });

  it("sends users whom that team provisions to single sign-on, and tells other users to keep their accounts", async () => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    await claimed(domain, team);
    const samlIdentity = { issuer: `https://idp.${domain}`, nameId: { text: "ada" } };
    const [member, provisioned, bound] = await Promise.all([
      team.add("member", { email: `member@${domain}` }),
      team.add("member", { email: `provisioned@${domain}` }),
      team.add("member", { email: `bound@${domain}`, provisioned: { samlIdentity } }),
    ]);
    await accountEditor(stack).change(provisioned, { managedByScim: true });
    const sso_code = randomUUID();
    await administer("PUT", domain, "", { domain_redirect: "sso", sso_code, team_invite: "allowed" });
    const of = async (email: string) => (await post("/get-domain-registration", { email })).body;
    expect(await of(provisioned.email)).toEqual({ domain_redirect: "sso", sso_code });
    expect(await of(bound.email)).toEqual({ domain_redirect: "sso", sso_code });
    expect(await of(`new@${domain}`)).toEqual({ domain_redirect: "sso", sso_code });
    expect(await of(member.email)).toEqual({
      domain_redirect: "no-registration",
      due_to_existing_account: true,
    });
  });

  it("returns other states as they are, and none without a registration", async () => {
    const [domain, email] = [newDomain(), "ada"];
    expect(await lookUp(domain)).toEqual({ domain_redirect: "none" });
    await newUser({ email: `${email}@${domain}` }, stack);
    for (const [call, state] of [
      ["/preauthorize", "pre-authorized"],
      ["/lock", "locked"],
    ]) {
      await administer("POST", domain, call);
      expect(await lookUp(domain)).toEqual({ domain_redirect: state });
    }
  });

  it("refuses an address without a domain", async () => {
    const of = async (email: unknown) => outcome(await post("/get-domain-registration", { email }));
    expect(await of("ada@localhost")).toBe("400 invalid-domain");
    expect(await of("ada@")).toBe("400 invalid-domain");
    expect(await of("ada")).toBe("400 invalid-domain");
    expect(await of("ada@example.com\u0000")).toBe("400 invalid-domain");
    expect(await of(1)).toBe("400 bad-request");
    expect(await of("@example.com")).toBe("400 invalid-email");
  });
});

describe.concurrent("a custom backend", () => {
  it("is found by its domain in any case, until it is removed", async () => {
    const domain = newDomain();
    const path = `/custom-backend/by-domain/${domain.toUpperCase()}`;
    const backend = { config_json_url: configUrl, webapp_welcome_url: webappUrl };
    expect(outcome(await api("GET", path))).toBe("404 custom-backend-not-found");
    expect((await internalApi("PUT", `/i${path}`, { json: backend })).status).toBe(201);
    expect((await api("GET", `/v8${path.toLowerCase()}`)).body).toEqual(backend);
    expect((await internalApi("DELETE", `/i${path}`)).status).toBe(200);
    expect((await internalApi("DELETE", `/i${path}`)).status).toBe(200);
    expect(outcome(await api("GET", path))).toBe("404 custom-backend-not-found");
  });

  it("must be for a valid domain, and have only https URLs", async () => {
    expect(outcome(await api("GET", "/custom-backend/by-domain/a_b"))).toBe("404 custom-backend-not-found");
    const json = { config_json_url: "http://a.example", webapp_welcome_url: webappUrl };
    const path = `/i/custom-backend/by-domain/${newDomain()}`;
    expect(outcome(await internalApi("PUT", path, { json }))).toBe("400 bad-request");
  });
});

describe.concurrent("verification that is switched off", () => {
  const off = "503 enterprise-service-not-enabled";

  it("answers 503, and no registration is found", async () => {
    const [domain, team] = [newDomain(), await newTeam()];
    const { token } = team.owner;
    const json = { challenge_token: "x" };
    const requests: Parameters<Api>[] = [
      ["POST", "/get-domain-registration", { json: { email: `ada@${domain}` } }],
      ["POST", `/domain-verification/${domain}/challenges`, {}],
      ["POST", `/domain-verification/${domain}/challenges/${randomUUID()}`, { json }],
      ["POST", `/domain-verification/${domain}/team/challenges/${randomUUID()}`, { json, token }],
      [
        "POST",
        `/domain-verification/${domain}/authorize-team`,
        { json: { domain_ownership_token: "x" }, token },
      ],
      ["POST", `/domain-verification/${domain}/backend`, { json: { domain_redirect: "remove" }, token }],
      ["POST", `/domain-verification/${domain}/team`, { json: { team_invite: "allowed" }, token }],
      ["GET", `/teams/${team.id}/registered-domains`, { token }],
      ["DELETE", `/teams/${team.id}/registered-domains/${domain}`, { token }],
    ];
    const answers = await Promise.all(requests.map((request) => api(...request)));
    expect(new Set(answers.map(outcome))).toEqual(new Set([off]));
    const path = `/i/domain-registration/${domain}`;
    expect(outcome(await internalApi("POST", `${path}/lock`))).toBe(off);
    expect(outcome(await internalApi("GET", path))).toBe("404 not-found");
  });
});

async function switchFeatureOff(teamId: string): Promise<void> {
  const path = `/i/teams/${teamId}/features/domainRegistration`;
  const { status } = await stack.internalApi("PUT", path, { json: { status: "disabled" } });
  expect(status).toBe(200);
}
