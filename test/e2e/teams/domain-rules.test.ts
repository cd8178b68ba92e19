import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { accept, invite, newInvitation } from "../../support/invitations.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { activationCode, newUser, register, somePassword, type User } from "../../support/users.ts";

const refused = "403 condition-failed";

let stack: OwnStack;
beforeAll(async () => {
  // Resolvers that nobody runs: in these tests, the operator sets the rules.
  const rateLimitPerIp = { burst: 3, refillSeconds: 1000 };
  stack = await stackWith({
    domainVerification: { resolvers: ["127.0.0.1:9"], rateLimitPerIp },
    setDomainsBlockedForRegistration: ["Blocked.example"],
  });
});
afterAll(stopOwnStacks);

const backend = { config_url: "https://backend.example/config.json" };
const rules = {
  none: { domain_redirect: "none", team_invite: "allowed" },
  locked: { domain_redirect: "locked", team_invite: "allowed" },
  "pre-authorized": { domain_redirect: "pre-authorized", team_invite: "allowed" },
  "no-registration": { domain_redirect: "no-registration", team_invite: "allowed" },
  backend: { domain_redirect: "backend", backend, team_invite: "not-allowed" },
  sso: { domain_redirect: "sso", sso_code: randomUUID(), team_invite: "allowed" },
  "no invitations": { domain_redirect: "none", team_invite: "not-allowed" },
} as const;
type Rule = keyof typeof rules;

const addressAt = (domain: string) => `user-${randomUUID()}@${domain}`;
const newDomain = () => `${randomUUID()}.example`;

const setRules = async (domain: string, rule: Rule | object) => {
  const json = typeof rule === "string" ? rules[rule] : rule;
  const answer = await stack.internalApi("PUT", `/i/domain-registration/${domain}`, { json });
  expect(answer.status).toBe(204);
};

/** A domain with these rules. */
async function domainWith(rule: Rule | object): Promise<string> {
  const domain = newDomain();
  await setRules(domain, rule);
  return domain;
}

const changeAddress = async ({ token, cookie }: User, email: string) =>
  outcome(await stack.publicApi("PUT", "/access/self/email", { token, cookie, json: { email } }));

describe.concurrent("the rules of an email domain", () => {
  it.each([
    ["no invitations", "201"],
    ["sso", refused],
  ] as const)("%s: a registration gets %s", async (rule, expected) => {
    const domain = await domainWith(rule);
    const email = addressAt(domain.toUpperCase());
    expect(outcome(await register({ email, password: somePassword }, stack))).toBe(expected);
  });

  it("refuse even a registration with a valid code", async () => {
    const domain = newDomain();
    const email = addressAt(domain);
    await stack.publicApi("POST", "/activate/send", { json: { email } });
    const { code } = await activationCode({ email }, stack);
    await setRules(domain, "no-registration");
    const fields = { email, email_code: code, password: somePassword };
    expect(outcome(await register(fields, stack))).toBe(refused);
    await setRules(domain, "none");
    expect(outcome(await register(fields, stack))).toBe("201");
  });

  it.each([
    ["none", "200"],
    ["backend", refused],
  ] as const)("%s: an activation gets %s, in a dry run, by code and by link", async (rule, expected) => {
    const domain = newDomain();
    const email = addressAt(domain);
    await register({ email, password: somePassword }, stack);
    const { code, key } = await activationCode({ email }, stack);
    await setRules(domain, rule);
    const activate = async (json: object) => outcome(await stack.publicApi("POST", "/activate", { json }));
    expect(await activate({ email, code, dryrun: true })).toBe(expected);
    expect(await activate({ key, code, dryrun: true })).toBe(expected);
    const [first, second] = [await activate({ key, code }), await activate({ email, code })];
    expect([first, second]).toEqual(expected === refused ? [refused, refused] : ["200", "204"]);
  });

  it("use up no attempt at a code that they refuse", async () => {
    const domain = newDomain();
    const email = addressAt(domain);
    await register({ email, password: somePassword }, stack);
    const { code } = await activationCode({ email }, stack);
    await setRules(domain, "backend");
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(outcome(await stack.publicApi("POST", "/activate", { json: { email, code } }))).toBe(refused);
    }
    await setRules(domain, "none");
    expect((await stack.publicApi("POST", "/activate", { json: { email, code } })).status).toBe(200);
  });

  it("are explained on the activation page", async () => {
    const domain = newDomain();
    const email = addressAt(domain);
    await register({ email, password: somePassword }, stack);
    const { code, key } = await activationCode({ email }, stack);
    await setRules(domain, "sso");
    const page = await fetch(`${stack.publicUrl}/activate/confirm`, {
      method: "POST",
      body: new URLSearchParams({ key, code }),
      headers: { accept: "text/html" },
    });
    expect(page.status).toBe(403);
    expect(await page.text()).toContain("The organisation behind this e-mail address");
  });

  it.each([
    ["none", "202"],
    ["no invitations", refused],
  ] as const)("%s: a change to an address gets %s", async (rule, expected) => {
    const [domain, user] = await Promise.all([domainWith(rule), newUser({}, stack)]);
    expect(await changeAddress(user, addressAt(domain))).toBe(expected);
  });

  it("let members of the inviting team change to the domain", async () => {
    const [team, other] = await Promise.all([newTeam({}, stack), newTeam({}, stack)]);
    const domain = await domainWith({ domain_redirect: "none", team_invite: "team", team: team.id });
    expect(await changeAddress(team.owner, addressAt(domain))).toBe("202");
    expect(await changeAddress(other.owner, addressAt(domain))).toBe(refused);
  });

  it("do not apply to an address that provisioning confirms, or that the user already has", async () => {
    const domain = newDomain();
    const user = await newUser({ email: addressAt(domain) }, stack);
    await setRules(domain, "backend");
    expect(await changeAddress(user, user.email)).toBe("204");
    const [other, json] = [await newUser({}, stack), { email: addressAt(domain) }];
    const change = async (query: string) =>
      outcome(
        await stack.internalApi("PUT", `/i/self/email?email_activation=${query}`, {
          json,
          headers: { "z-user": other.id },
        }),
      );
    expect(await change("send_activation_email")).toBe(refused);
    expect(await change("auto_activate")).toBe("204");
  });

  it("never keep anybody from logging in", async () => {
    const domain = newDomain();
    const { email, password } = await newUser({ email: addressAt(domain) }, stack);
    await setRules(domain, "backend");
    expect((await stack.publicApi("POST", "/login", { json: { email, password } })).status).toBe(200);
  });

  it("apply neither to subdomains nor to the parent domain", async () => {
    const domain = await domainWith("backend");
    for (const email of [addressAt(`mail.${domain}`), addressAt(domain.split(".").at(-1) ?? "")]) {
      expect(outcome(await register({ email: email.replace(/@example$/, "@x.example") }, stack))).toBe("201");
    }
  });

  it("apply to an internationalised domain in any spelling", async () => {
    const written = `bücher-${randomUUID()}.example`;
    await setRules(encodeURIComponent(written), "backend");
    expect(outcome(await register({ email: addressAt(written) }, stack))).toBe(refused);
    const ascii = new URL(`http://${written}`).hostname;
    expect(outcome(await register({ email: addressAt(ascii) }, stack))).toBe(refused);
  });
});

describe.concurrent("the rules of an email domain on teams", () => {
  it.each([
    ["none", "201"],
    ["no-registration", refused],
  ] as const)("%s: a registration with a new team gets %s", async (rule, expected) => {
    const email = addressAt(await domainWith(rule));
    const fields = { email, password: somePassword, team: { name: "Engines", icon: "default" } };
    expect(outcome(await register(fields, stack))).toBe(expected);
  });

  it.each([
    ["none", "200"],
    ["no invitations", refused],
  ] as const)("%s: founding a team with an account gets %s", async (rule, expected) => {
    const domain = newDomain();
    const { token } = await newUser({ email: addressAt(domain) }, stack);
    await setRules(domain, rule);
    const json = { name: "Engines", icon: "default" };
    const answer = await stack.publicApi("POST", "/v8/upgrade-personal-to-team", { token, json });
    expect(outcome(answer)).toBe(expected);
  });

  it.each([
    ["sso", "201"],
    ["no invitations", refused],
  ] as const)("%s: an invitation gets %s", async (rule, expected) => {
    const [domain, team] = await Promise.all([domainWith(rule), newTeam({}, stack)]);
    expect(outcome(await invite(team, { email: addressAt(domain) }, { apis: stack }))).toBe(expected);
  });

  it("let only one team invite", async () => {
    const [team, other] = await Promise.all([newTeam({}, stack), newTeam({}, stack)]);
    const domain = await domainWith({ domain_redirect: "none", team_invite: "team", team: team.id });
    const email = addressAt(domain);
    expect(outcome(await invite(team, { email }, { apis: stack }))).toBe("201");
    expect(outcome(await invite(other, { email }, { apis: stack }))).toBe(refused);
  });

  it("keep teams from inviting people with an account where nobody may register", async () => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    const { email } = await newUser({ email: addressAt(domain) }, stack);
    await setRules(domain, "no-registration");
    expect(outcome(await invite(team, { email, allow_existing: true }, { apis: stack }))).toBe(refused);
    await setRules(domain, "none");
    expect(outcome(await invite(team, { email, allow_existing: true }, { apis: stack }))).toBe("201");
  });

  it.each([
    ["no-registration", "201"],
    ["backend", refused],
  ] as const)("%s: accepting an earlier invitation by registering gets %s", async (rule, expected) => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    const { email, code } = await newInvitation(team, { email: addressAt(domain) }, stack);
    await setRules(domain, rule);
    const fields = { email, password: somePassword, team_code: code };
    expect(outcome(await register(fields, stack))).toBe(expected);
  });

  it.each([
    ["none", "200"],
    ["no invitations", refused],
  ] as const)("%s: accepting an invitation with an account gets %s", async (rule, expected) => {
    const [domain, team] = [newDomain(), await newTeam({}, stack)];
    const user = await newUser({ email: addressAt(domain) }, stack);
    const { code } = await newInvitation(team, { email: user.email, allow_existing: true }, stack);
    await setRules(domain, rule);
    expect(outcome(await accept(user, code, stack))).toBe(expected);
  });

  it("let users join the inviting team", async () => {
    const [team, domain] = [await newTeam({}, stack), newDomain()];
    const { email, code } = await newInvitation(team, { email: addressAt(domain) }, stack);
    await setRules(domain, {
      domain_redirect: "sso",
      sso_code: randomUUID(),
      team_invite: "team",
      team: team.id,
    });
    const fields = { email, password: somePassword, team_code: code };
    expect(outcome(await register(fields, stack))).toBe("201");
  });
});

describe.concurrent("a domain that the operator has blocked", () => {
  const blocked = "451 domain-blocked-for-registration";

  it("has addresses that nobody can register, change to or invite", async () => {
    const [user, team] = await Promise.all([newUser({}, stack), newTeam({}, stack)]);
    const email = addressAt("blocked.EXAMPLE");
    const send = await stack.publicApi("POST", "/activate/send", { json: { email } });
    expect(outcome(send)).toBe(blocked);
    expect(outcome(await register({ email, password: somePassword }, stack))).toBe(blocked);
    expect(await changeAddress(user, email)).toBe(blocked);
    expect(outcome(await invite(team, { email }, { apis: stack }))).toBe(blocked);
    await stack.internalApi("POST", `/i/users/blacklist?${new URLSearchParams({ email })}`);
    expect(outcome(await invite(team, { email }, { apis: stack }))).toBe("403 blacklisted-email");
    expect(outcome(await register({ email: addressAt("a.blocked.example") }, stack))).toBe("201");
  });
});

describe("users who try to verify domains", () => {
  it("get a limited number of challenges and look-ups per network", async () => {
    const domain = await domainWith("pre-authorized");
    const path = `/domain-verification/${domain}/challenges`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => stack.publicApi("POST", path)));
    const limited = Array(3).fill("429 too-many-requests");
    expect(answers.map(outcome).toSorted()).toEqual(["200", "200", "200", ...limited]);
    const { id, token } = answers.find(({ status }) => status === 200)?.body ?? {};
    const verifying = Array.from({ length: 6 }, () =>
      stack.publicApi("POST", `${path}/${id}`, { json: { challenge_token: token } }),
    );
    const failed = Array(3).fill("403 domain-verification-failed");
    expect((await Promise.all(verifying)).map(outcome).toSorted()).toEqual([...failed, ...limited]);
  });

  it("find that a challenge has expired after two days", async () => {
    const domain = await domainWith("pre-authorized");
    stack.advance(3600);
    const path = `/domain-verification/${domain}/challenges`;
    const { id, token } = (await stack.publicApi("POST", path)).body;
    const verify = async () =>
      outcome(await stack.publicApi("POST", `${path}/${id}`, { json: { challenge_token: token } }));
    expect(await verify()).toBe("403 domain-verification-failed");
    stack.advance(172_800);
    expect(await verify()).toBe("404 challenge-not-found");
  });
});
