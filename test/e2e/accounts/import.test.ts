import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { type ImportOptions, importUsers, type LineReport } from "#lib/import/import-users.ts";
import { readRealm } from "#lib/import/keycloak-realm.ts";
import { readJsonLines } from "#lib/import/user-line.ts";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { pageVisitor } from "../../support/page-visitor.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam } from "../../support/teams.ts";
import { logIn, newEmail, newPhone, newUser, registeredUser } from "../../support/users.ts";

const password = "sécret password";
/** Hashes made by other implementations: see the unit tests of imported hashes. */
const hashes = {
  pbkdf2: "$pbkdf2-sha256$1000$c2FsdHNhbHRzYWx0c2FsdA$FNKALGkylanWsWxPVkV2waIvmkRYhgOcf4oYvJgJOw0",
  scrypt: "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$+bjgutqFyoyQ1Y+Gm7Y/c92ZV60XhyZxRKDRUW9xPgk",
  argon2id: "$argon2id$v=19$m=64,t=1,p=2$j1vms351b1nU2Uk+VpwLuQ$cC815nUom+rc51GGZBPbLVT5ng/6UgGN0aY6xLqXJcU",
  bcrypt: "$2b$04$1ErXH1vO0qEyHJOqVuZZzOdGiN1XxIIW8La9G091JrYjRA7rnclFq",
};

/** Users exported by Keycloak 26, all with one password. */
const recordedRealm = new URL("../../support/recorded/keycloak/realm.json", import.meta.url);
const realmPassword = "realm password é";

async function reportsOf(options: ImportOptions): Promise<LineReport[]> {
  const reports: LineReport[] = [];
  for await (const report of importUsers(options)) reports.push(report);
  return reports;
}

const newHandle = () => `h${randomUUID().replaceAll("-", "")}`;
const verified = (fields: object = {}) => ({
  name: "Ada",
  email: newEmail(),
  email_verified: true,
  password_hash: hashes.scrypt,
  ...fields,
});

async function* linesOf(lines: readonly (object | string)[]) {
  for (const line of lines) yield Buffer.from(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
}

describe("an import of users", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await ownStack({}, { isClockStopped: true });
  });

  const optionsOf = ({ prefix, data }: OwnStack, isDryRun = false) => ({
    settings: parseSettings(data?.settings ?? {}),
    tableName: stackConfig(prefix).tableName,
    isDryRun,
  });
  const importLines = (
    lines: readonly (object | string)[],
    { isDryRun = false } = {},
  ): Promise<LineReport[]> =>
    reportsOf({ users: readJsonLines(linesOf(lines)), ...optionsOf(stack, isDryRun) });
  const outcomesOf = (reports: readonly LineReport[]) => reports.map(({ outcome }) => outcome);
  const accounts = () =>
    new AccountStore(storeContext({ config: stackConfig(stack.prefix), clock: stack.clock }));

  it.each(Object.entries(hashes))("lets users log in whose password is hashed by %s", async (_, hash) => {
    const user = verified({ password_hash: hash, handle: newHandle(), locale: "de", accent_id: 3 });
    const [report] = await importLines([user]);
    expect(report).toMatchObject({ line: 1, outcome: "created" });
    const userId = report?.userId ?? "";
    expect((await accounts().get(userId))?.passwordHash).toBe(`imported${hash}`);

    expect(outcome(await logIn({ ...user, password: "wrong password" }, { apis: stack }))).toBe(
      "403 invalid-credentials",
    );
    const login = await logIn({ ...user, password }, { apis: stack });
    expect(outcome(login)).toBe("200");
    const self = await stack.publicApi("GET", "/self", { token: login.body.access_token });
    const { name, email, handle, locale } = user as Record<string, unknown>;
    expect(self.body).toMatchObject({ id: userId, name, email, handle, locale, accent_id: 3 });

    const rehashed = await accounts().get(userId);
    expect(rehashed?.passwordHash).toMatch(/^\$scrypt\$ln=10,/);
    expect(outcome(await logIn({ ...user, password }, { apis: stack }))).toBe("200");

    expect(outcomesOf(await importLines([{ ...user, name: "Eve" }]))).toEqual(["exists"]);
    expect(await accounts().get(userId)).toEqual(rehashed);
  });

  it("has passwords rehashed by a login on a page, too", async () => {
    const user = verified();
    const [{ userId = "" } = {}] = await importLines([user]);
    const visitor = pageVisitor(stack);
    await visitor.open("/account/profile");
    await visitor.submit("/account/login", { identity: user.email, password });
    expect((await accounts().get(userId))?.passwordHash).toMatch(/^\$scrypt\$ln=10,/);
  });

  it("lets the users of a realm log in, however it has hashed their passwords, and changes nothing when repeated", async () => {
    const text = readFileSync(recordedRealm, "utf8");
    const users: { username: string; email?: string }[] = JSON.parse(text).users;
    const importRealm = async () =>
      (await reportsOf({ users: readRealm(text), ...optionsOf(stack) })).map(
        ({ outcome, reason }, index) => `${users[index]?.username}: ${reason ?? outcome}`,
      );
    const refused = [
      "disabled: enabled: the user is disabled",
      "service-account-robot: serviceAccountClientId: a service, not a person",
    ];
    const first = await importRealm();
    expect(first.filter((report) => !report.endsWith(": created"))).toEqual(refused);

    const logInAs = (name: { email: string } | { handle: string }) =>
      stack.publicApi("POST", "/login", { json: { ...name, password: realmPassword } });
    const attempts = users.map(async ({ username, email }) => [
      username,
      outcome(await logInAs(email === undefined ? { handle: username } : { email })),
    ]);
    const outsiders = ["no-password", "disabled", "temp", "service-account-robot"];
    expect(await Promise.all(attempts)).toEqual(
      users.map(({ username }) => [
        username,
        outsiders.includes(username) ? "403 invalid-credentials" : "200",
      ]),
    );
    const again = await importRealm();
    expect(again.filter((report) => !report.endsWith(": exists"))).toEqual(refused);
    const login = await logInAs({ handle: "argon2" });
    const { body } = await stack.publicApi("GET", "/self", { token: login.body.access_token });
    expect(body).toMatchObject({ name: "Ünïcode argon2", email: "argon2@hash.example", handle: "argon2" });
  });

  it("says of each refused line why, and imports all others", async () => {
    const taken = await newUser({}, stack);
    const blocked = newEmail();
    await stack.internalApi("POST", `/i/users/blacklist?email=${blocked}`);
    const handle = newHandle();
    const twice = verified({ handle });
    const reports = await importLines([
      "{broken",
      twice,
      "",
      verified({ email: taken.email.toUpperCase() }),
      verified({ email: blocked }),
      verified({ email: "nobody" }),
      verified({ handle: "No Handle" }),
      verified({ handle }),
      { ...twice, handle: newHandle() },
      verified({ nmae: "Ada" }),
      verified({ password_hash: "$argon2id$v=19$m=4194304,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAA" }),
      verified({ team: randomUUID() }),
      { name: "Ada", handle: newHandle() },
      "[]",
      "x".repeat(70_000),
      verified(),
    ]);
    expect(reports.map(({ line, outcome, reason }) => `${line} ${outcome} ${reason ?? ""}`.trim())).toEqual([
      "1 refused not JSON",
      "2 created",
      "4 refused email: belongs to another account",
      "5 refused email: blocked",
      "6 refused invalid-email",
      "7 refused invalid-handle",
      "8 refused the same handle as in line 2",
      "9 refused the same user as in line 2",
      '10 refused Unrecognized key: "nmae"',
      "11 refused password_hash: the hash does not have 16 to 128 bytes",
      "12 refused team: no such team exists, or it admits no members",
      "13 refused external_id: needed without email",
      expect.stringMatching(/^14 refused /),
      "15 refused longer than 65536 characters",
      "16 created",
    ]);
  });

  it("puts users into their teams and into the search index", async () => {
    const team = await newTeam({}, stack);
    const word = newHandle();
    const [report] = await importLines([verified({ name: word, team: team.id, role: "admin" })]);
    const members = await stack.publicApi("GET", `/teams/${team.id}/members`, { token: team.owner.token });
    const permissions = { copy: 5951, self: 5951 };
    expect(members.body.members).toContainEqual(
      expect.objectContaining({ user: report?.userId, permissions }),
    );
    // The sweeper sends what the import leaves in the outbox.
    stack.advance(60);
    await eventually(async () => {
      const found = await stack.publicApi("GET", `/search/contacts?q=${word}`, { token: team.owner.token });
      expect(found.body.documents.map(({ id }: { id: string }) => id)).toContain(report?.userId);
    });
  });

  it("founds a team with its owner, and adds the users who name it", async () => {
    const external_id = randomUUID();
    const new_team = { external_id, name: "Analytical Engines", currency: "GBP" };
    const founder = verified({ external_id: randomUUID(), new_team });
    const joining = { team_external_id: external_id };
    const early = verified({ ...joining, name: "Early" });
    const others = [
      verified({ ...joining, name: "Ben", role: "admin" }),
      verified({ ...joining, name: "Cyd", role: "partner" }),
      verified({ new_team: { ...new_team, name: "Another name" }, name: "Dan" }),
    ];
    const lines = [early, founder, ...others];
    const dryRun = await importLines(lines, { isDryRun: true });
    expect(dryRun.map(({ outcome, reason }) => reason ?? outcome)).toEqual([
      "team: no such team exists, or it admits no members",
      "would-create",
      "would-create",
      "would-create",
      "would-create",
    ]);
    const reports = await importLines(lines);
    expect(outcomesOf(reports)).toEqual(["refused", "created", "created", "created", "created"]);
    const teamId = reports[1]?.teamId;
    expect(reports.map((report) => report.teamId !== undefined)).toEqual([false, true, false, false, true]);
    expect(reports[4]?.teamId).toBe(teamId);

    const { access_token: token } = (await logIn({ ...founder, password }, { apis: stack })).body;
    const { body: self } = await stack.publicApi("GET", "/self", { token });
    expect(self).toMatchObject({ team: teamId });
    expect(await stack.internalApi("GET", `/i/teams/${teamId}`)).toMatchObject({
      body: { status: "active", team: { name: "Analytical Engines", creator: self.id } },
    });
    const { body } = await stack.publicApi("GET", `/teams/${teamId}/members`, { token });
    const masks = new Map(
      body.members.map((one: { user: string; permissions: { self: number } }) => [
        one.user,
        one.permissions.self,
      ]),
    );
    expect(reports.map(({ userId = "" }) => masks.get(userId))).toEqual([undefined, 8191, 5951, 1025, 8191]);

    const again = await importLines(lines);
    expect(outcomesOf(again)).toEqual(["created", "exists", "exists", "exists", "exists"]);
    expect(again[1]?.teamId).toBe(teamId);
  });

  it("founds a team once when two imports begin at once", async () => {
    const new_team = { external_id: randomUUID(), name: "Engines" };
    const lines = [verified({ new_team }), verified({ team_external_id: new_team.external_id })];
    const both = await Promise.all([importLines(lines), importLines(lines)]);
    const outcomes = both.map(outcomesOf);
    expect(outcomes.flat().toSorted()).toEqual(["created", "created", "exists", "exists"]);
    expect(new Set(both.map(([founder]) => founder?.teamId)).size).toBe(1);
  });

  it("accepts phone numbers that the former system has verified, with which users log in", async () => {
    const phone = newPhone();
    const user = { external_id: randomUUID(), name: "Ada", phone, phone_verified: true };
    const taken = newPhone();
    const blocked = newPhone();
    await stack.internalApi("POST", `/i/users/blacklist?phone=${encodeURIComponent(blocked)}`);
    const reports = await importLines([
      user,
      { ...user, external_id: randomUUID(), phone: taken },
      { ...user, external_id: randomUUID() },
      { ...user, external_id: randomUUID(), phone: blocked },
      { ...user, external_id: randomUUID(), phone: "0123" },
      { ...user, external_id: randomUUID(), phone: newPhone(), phone_verified: false },
    ]);
    expect(reports.map(({ outcome, reason }) => reason ?? outcome)).toEqual([
      "created",
      "created",
      "the same phone as in line 1",
      "phone: blocked",
      "invalid-phone",
      "phone: needs phone_verified",
    ]);
    const later = await importLines([{ ...user, external_id: randomUUID(), phone: taken }]);
    expect(later).toMatchObject([{ reason: "phone: belongs to another account" }]);

    await stack.publicApi("POST", "/login/send", { json: { phone } });
    const code = await stack.internalApi("GET", `/i/users/login-code?phone=${encodeURIComponent(phone)}`);
    const login = await stack.publicApi("POST", "/login", { json: { phone, code: code.body.code } });
    expect(outcome(login)).toBe("200");
    const { body } = await stack.publicApi("GET", "/self", { token: login.body.access_token });
    expect(body).toMatchObject({ id: reports[0]?.userId, phone });
  });

  it("creates each user once when it dies, runs twice at once, and runs again", async () => {
    const users = Array.from({ length: 30 }, (_, index) =>
      verified({ external_id: `${randomUUID()}-${index}`, handle: newHandle() }),
    );
    let transactions = 0;
    const endFaults = injectFaults(({ action }) =>
      action.includes("TransactWrite") && ++transactions === 10 ? "dies-after" : undefined,
    );
    await importLines(users)
      .catch(() => undefined)
      .finally(endFaults);
    const both = await Promise.all([importLines(users), importLines(users)]);
    for (const reports of both) {
      expect(new Set(outcomesOf(reports))).not.toContain("refused");
      expect(new Set(outcomesOf(reports))).not.toContain("failed");
    }
    const again = await importLines(users);
    expect(outcomesOf(again)).toEqual(users.map(() => "exists"));
    expect(new Set(again.map(({ userId }) => userId)).size).toBe(users.length);
  });

  it("writes nothing in a dry run", async () => {
    const user = verified({ handle: newHandle() });
    expect(outcomesOf(await importLines([user, user], { isDryRun: true }))).toEqual([
      "would-create",
      "refused",
    ]);
    expect(outcomesOf(await importLines([user]))).toEqual(["created"]);
    expect(outcomesOf(await importLines([user], { isDryRun: true }))).toEqual(["exists"]);
  });

  it("gives an unverified address to the person who proves it", async () => {
    const { email_verified: _, ...user } = verified();
    const [report] = await importLines([user]);
    expect(outcome(await logIn({ ...user, password }, { apis: stack }))).toBe("200");
    const owner = await registeredUser({ email: user.email }, stack);
    expect(outcome(await logIn(owner, { apis: stack }))).toBe("200");
    expect(owner.id).not.toBe(report?.userId);
    expect((await accounts().get(report?.userId ?? ""))?.email).toBeUndefined();
    expect(outcomesOf(await importLines([user]))).toEqual(["exists"]);
  });

  it("accepts unusual addresses, and refuses texts that are no address", async () => {
    const lines = ["r&d@mail.example.com", "ada@пример.рф", "noat.example"].map((email) =>
      verified({ email }),
    );
    const reports = await importLines(lines);
    expect(outcomesOf(reports)).toEqual(["created", "created", "refused"]);
    expect(outcome(await logIn({ email: "ada@xn--e1afmkfd.xn--p1ai", password }, { apis: stack }))).toBe(
      "200",
    );
  });

  it("does not bring back a user who has been deleted since", async () => {
    const user = verified();
    const [report] = await importLines([user]);
    await stack.internalApi("DELETE", `/i/users/${report?.userId}`);
    await eventually(async () => {
      expect(outcomesOf(await importLines([user]))).toEqual(["deleted"]);
    });
  });
});
