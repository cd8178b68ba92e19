import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { DomainRegistration } from "#shared/teams/registered-domains/domain-registration.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import { type Directory, newDirectory, newUserFields } from "../../support/directory.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { activate, activationCode, newEmail, newUser, register } from "../../support/users.ts";

let stack: OwnStack;
let domains: RegisteredDomainStore;
let directory: Directory;

// Resolvers that nobody runs: in these tests, domains are registered directly.
const domainVerification = { resolvers: ["127.0.0.1:9"] };

beforeAll(async () => {
  stack = await stackWith({ domainVerification, setDomainsBlockedForRegistration: ["blocked.example"] });
  const config = { ...stackConfig(stack.prefix), settings: parseSettings({ domainVerification }) };
  domains = new RegisteredDomainStore({ dynamo: createDynamo(), config, clock: systemClock });
  directory = await newDirectory({ hasProvider: true }, stack);
});
afterAll(stopOwnStacks);

/** An address at a domain that is registered this way. */
async function addressWith(rules: Partial<DomainRegistration>): Promise<string> {
  const domain = `${randomUUID()}.example`;
  const registration = {
    domain,
    redirect: { kind: "none" as const },
    teamInvite: { kind: "allowed" as const },
    ...rules,
  };
  await transact(createDynamo(), domains.save(undefined, registration));
  return `ada@${domain}`;
}

/** A directory of a team that trusts the addresses of its directory. */
async function trustingDirectory(): Promise<Directory> {
  const trusting = await newDirectory({ hasProvider: true }, stack);
  const path = `/i/teams/${trusting.team.id}/features/validateSAMLemails`;
  const { status } = await stack.internalApi("PATCH", path, { json: { status: "disabled" } });
  expect(status).toBe(200);
  return trusting;
}

const accountOf = async ({ body: { id } }: ApiAnswer) =>
  (await stack.internalApi("GET", `/i/users?ids=${id}`)).body[0];
const create = (externalId: string, by = directory) => by.create(newUserFields({ externalId }));
const emailsOf = ({ body }: ApiAnswer) => body.emails?.map(({ value }: { value: string }) => value);
const singleSignOn = (authorizedTeam: string) => ({
  redirect: { kind: "sso", identityProviderId: randomUUID() } as const,
  authorizedTeam,
});

describe.concurrent("the address of a user whom a directory creates", () => {
  it("takes effect once a mailed code has confirmed it", async () => {
    const email = newEmail();
    const created = await create(email);
    expect([created.status, emailsOf(created)]).toEqual([201, [email]]);
    const before = await accountOf(created);
    expect([before.email, before.email_unvalidated, before.status]).toEqual([undefined, email, "active"]);
    expect((await nextMessage(email)).headers["X-Svc-Purpose"]).toBe("Activation");
    expect(await stack.internalApi("GET", `/i/users?email=${email}`)).toMatchObject({ body: [] });

    expect((await activate({ email }, stack)).body).toEqual({ email, first: false });
    const after = await accountOf(created);
    expect([after.email, after.email_unvalidated]).toEqual([email, undefined]);
    expect(emailsOf(await directory.get(created.body.id))).toEqual([email]);
  });

  it("takes effect immediately, without a mail, if the team does not validate addresses", async () => {
    const email = newEmail();
    const created = await create(email, await trustingDirectory());
    expect(await accountOf(created)).toMatchObject({ email, managed_by: "scim" });
    expect(await accountOf(created)).not.toHaveProperty("email_unvalidated");
    expect(await messagesTo(email)).toEqual([]);
  });

  it("takes effect immediately at a domain that the team has claimed with single sign-on", async () => {
    const email = await addressWith(singleSignOn(directory.team.id));
    expect(await accountOf(await create(email))).toMatchObject({ email });
    expect(await messagesTo(email)).toEqual([]);
  });

  it.each<[string, () => Partial<DomainRegistration>]>([
    ["whose single sign-on is another team's", () => singleSignOn(randomUUID())],
    ["of another backend", () => ({ redirect: { kind: "backend", configUrl: "https://b.example" } })],
    ["where nobody registers", () => ({ redirect: { kind: "no-registration" } })],
    ["to which only another team invites", () => ({ teamInvite: { kind: "team", teamId: randomUUID() } })],
  ])("is refused at a domain %s, unless no mail is needed", async (_domain, rules) => {
    const email = await addressWith(rules());
    const { status, body } = await create(email);
    expect([status, body.scimType]).toEqual([403, undefined]);
    expect((await create(email, await trustingDirectory())).status).toBe(201);
  });

  it("is refused at a domain that the operator has blocked, unless no mail is needed", async () => {
    const email = `${randomUUID()}@blocked.example`;
    expect((await create(email)).status).toBe(451);
    expect((await create(email, await trustingDirectory())).status).toBe(201);
  });

  it("is refused when it is in use or blocked, whether or not a mail is needed", async () => {
    const [{ email: taken }, blocked, trusting] = [
      await newUser({}, stack),
      newEmail(),
      await trustingDirectory(),
    ];
    await stack.internalApi("POST", `/i/users/blacklist?${new URLSearchParams({ email: blocked })}`);
    for (const by of [directory, trusting]) {
      expect((await create(taken, by)).status).toBe(409);
      expect((await create(blocked, by)).status).toBe(403);
    }
  });

  it("goes to the user who confirms it first when several wait for it", async () => {
    const email = newEmail();
    const other = await newDirectory({ hasProvider: true }, stack);
    const [one, two] = [await create(email), await create(email, other)];
    expect([one.status, two.status]).toEqual([201, 201]);
    const newest = (await nextMessage(email, { count: 2 })).headers;
    const redeem = (json: object) => stack.publicApi("POST", "/activate", { json });
    const activation = await redeem({ key: newest["X-Svc-Key"], code: newest["X-Svc-Code"] });
    expect(outcome(activation)).toBe("200");
    const owners = [await accountOf(one), await accountOf(two)].filter((account) => account.email === email);
    expect(owners).toHaveLength(1);
  });
});

describe.concurrent("an address that only a trusted directory has confirmed", () => {
  const sendCode = (email: string) => stack.publicApi("POST", "/activate/send", { json: { email } });
  const emailOf = async (answer: ApiAnswer) => (await accountOf(answer)).email;

  it("goes to a user who registers with it and confirms it by mail", async () => {
    const email = newEmail();
    const trusting = await trustingDirectory();
    const created = await create(email, trusting);
    expect(await emailOf(created)).toBe(email);

    const registered = await register({ email }, stack);
    expect(outcome(registered)).toBe("201");
    expect(await emailOf(created)).toBe(email);
    expect((await activate({ email }, stack)).body).toEqual({ email, first: true });
    expect(await emailOf(registered)).toBe(email);
    expect(await emailOf(created)).toBeUndefined();
    const { body } = await stack.internalApi("GET", `/i/users?${new URLSearchParams({ email })}`);
    expect(body).toMatchObject([{ id: registered.body.id }]);
    const { body: user } = await trusting.get(created.body.id);
    expect(user).toMatchObject({ id: created.body.id, active: true });
  });

  it("goes to a user who has confirmed it before the registration", async () => {
    const email = newEmail();
    const created = await create(email, await trustingDirectory());
    expect(outcome(await sendCode(email))).toBe("200");
    const { code } = await activationCode({ email }, stack);
    const registered = await register({ email, email_code: code }, stack);
    expect(outcome(registered)).toBe("201");
    expect([await emailOf(registered), await emailOf(created)]).toEqual([email, undefined]);
  });

  it("goes to a user who changes to it", async () => {
    const email = newEmail();
    const created = await create(email, await trustingDirectory());
    const user = await newUser({}, stack);
    const { token, cookie } = user;
    const changed = await stack.publicApi("PUT", "/access/self/email", { token, cookie, json: { email } });
    expect(outcome(changed)).toBe("202");
    expect((await activate({ email }, stack)).body).toEqual({ email, first: false });
    expect(await emailOf(created)).toBeUndefined();
    expect((await stack.publicApi("GET", "/self", { token })).body).toMatchObject({ email });
  });

  it("goes to one of two who confirm it concurrently", async () => {
    const email = newEmail();
    const created = await create(email, await trustingDirectory());
    const registered = [await register({ email }, stack), await register({ email }, stack)];
    await nextMessage(email, { count: 2 });
    const outcomes = await Promise.all(
      (await messagesTo(email)).map(async ({ headers: { "X-Svc-Key": key, "X-Svc-Code": code } }) =>
        outcome(await stack.publicApi("POST", "/activate", { json: { key, code } })),
      ),
    );
    expect(outcomes.filter((one) => one === "200")).toHaveLength(1);
    const owners = await Promise.all(registered.map(emailOf));
    expect(owners.filter((one) => one === email)).toHaveLength(1);
    expect(await emailOf(created)).toBeUndefined();
  });

  it("stays with the first account if another directory names it, too, or if its owner does nothing", async () => {
    const email = newEmail();
    const created = await create(email, await trustingDirectory());
    expect((await create(email, await trustingDirectory())).status).toBe(409);
    expect(outcome(await register({ email }, stack))).toBe("201");
    expect(await emailOf(created)).toBe(email);
  });

  it("stays with the user at a domain that the team has claimed", async () => {
    const trusting = await trustingDirectory();
    const email = await addressWith({ authorizedTeam: trusting.team.id });
    const created = await create(email, trusting);
    expect(await emailOf(created)).toBe(email);
    expect(outcome(await register({ email }, stack))).toBe("409 key-exists");
    expect(outcome(await sendCode(email))).toBe("409 key-exists");
  });
});

describe.concurrent("another address from a directory", () => {
  const replaceEmail = (by: Directory, { body }: ApiAnswer, value: string) =>
    by.replace(body.id, { ...body, emails: [{ value }] });

  it("is what the directory sees, while the user keeps the old one until the new one is confirmed", async () => {
    const [old, email] = [newEmail(), newEmail()];
    const created = await create(old);
    await activate({ email: old }, stack);
    const replaced = await replaceEmail(directory, created, email);
    expect([replaced.status, emailsOf(replaced)]).toEqual([200, [email]]);
    expect(await accountOf(created)).toMatchObject({ email: old, email_unvalidated: email });
    await nextMessage(email);

    expect((await replaceEmail(directory, replaced, email)).body).toEqual(replaced.body);
    expect(await messagesTo(email)).toHaveLength(1);
    await activate({ email }, stack);
    expect(await accountOf(created)).toMatchObject({ email });
    expect((await stack.internalApi("GET", `/i/users?email=${old}`)).body).toEqual([]);
  });

  it("no longer waits for a code when the directory withdraws it", async () => {
    const [old, email] = [newEmail(), newEmail()];
    const created = await create(old);
    await activate({ email: old }, stack);
    const replaced = await replaceEmail(directory, created, email);
    const { headers } = await nextMessage(email);
    expect(emailsOf(await replaceEmail(directory, replaced, old.toUpperCase()))).toEqual([old]);
    const json = { key: headers["X-Svc-Key"], code: headers["X-Svc-Code"] };
    expect(outcome(await stack.publicApi("POST", "/activate", { json }))).toBe("404 invalid-code");
    expect(await accountOf(created)).not.toHaveProperty("email_unvalidated");
  });

  it("takes effect immediately where no mail is needed, and invalidates codes sent to the old one", async () => {
    const [old, email, trusting] = [newEmail(), newEmail(), await trustingDirectory()];
    const created = await create(old, trusting);
    await stack.publicApi("POST", "/password-reset", { json: { email: old } });
    const { headers } = await nextMessage(old, { purpose: "PasswordReset" });
    expect(emailsOf(await replaceEmail(trusting, created, email))).toEqual([email]);
    expect(await accountOf(created)).toMatchObject({ email });
    const reset = { key: headers["X-Svc-Key"], code: headers["X-Svc-Code"], password: "a new password" };
    const completed = await stack.publicApi("POST", "/password-reset/complete", { json: reset });
    expect(outcome(completed)).toBe("400 invalid-code");
    expect((await newUser({ email: old }, stack)).email).toBe(old);
  });
});
