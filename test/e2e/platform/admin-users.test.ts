import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { adminOf } from "../../support/admin.ts";
import { outcome } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { nextMessage } from "../../support/messages.ts";
import { newApp, newTokens, refresh } from "../../support/oauth.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam } from "../../support/teams.ts";
import { activate, logIn, newEmail, newUser, register, registeredUser } from "../../support/users.ts";

describe.concurrent("npm run admin -- user", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await ownStack({
      setLimitFailedLogins: { timeout: 600, retryLimit: 2 },
      sndFactorPasswordChallenge: { defaults: { status: "disabled" } },
    });
  });
  const admin = (...args: string[]) => adminOf(stack).admin(...args);
  const resultOf = (...args: string[]) => adminOf(stack).resultOf(...args);
  const emailOf = async (id: string) => (await resultOf("user", "show", id)).email;

  it("accepts unusual addresses, and refuses texts that are no address", async () => {
    const { id } = await registeredUser({}, stack);
    const refused = { code: 1, stderr: expect.stringContaining("invalid-email") };
    expect(await admin("blocked", "add", "noat")).toMatchObject(refused);
    expect(await admin("user", "set-address", id, "noat.example", "--verified")).toMatchObject(refused);
    await resultOf("user", "set-address", id, "r&d@пример.рф", "--verified");
    expect(await emailOf(id)).toBe("r&d@пример.рф");
    expect(await resultOf("user", "find", "R&D@Пример.рф")).toMatchObject([{ id }]);
  });

  it("lists everybody who acts from a network, from all parts of the trail that have users without a team", async () => {
    const users = [
      await registeredUser({}, stack),
      await registeredUser({}, stack),
      await registeredUser({}, stack),
    ];
    const from = new Date(stack.clock() - 3_600_000).toISOString();
    const list = (...more: string[]) =>
      resultOf(
        "audit",
        "list",
        "--chain",
        "people",
        "--from",
        from,
        "--event",
        "account.registered",
        ...more,
      );
    const records: { time: string; target: { uid: string } }[] = await list("--network", "127.0.0.1");
    expect(records.map(({ target }) => target.uid)).toEqual(
      expect.arrayContaining(users.map(({ id }) => id)),
    );
    const times = records.map(({ time }) => time);
    expect(times).toEqual(times.toSorted());
    expect(await list("--network", "198.51.100.7")).toEqual([]);
    const first: typeof records = await list("--limit", "1");
    expect(first).toHaveLength(1);
    expect((first[0]?.time ?? "") <= (times[0] ?? "")).toBe(true);
  });

  it("lists all actions from a network in all teams and by everybody, for a day at most", async () => {
    const { id: team, owner } = await newTeam({}, stack);
    await logIn(owner, { apis: stack });
    const user = await registeredUser({}, stack);
    const hour = 3_600_000;
    const at = (milliseconds: number) => new Date(stack.clock() + milliseconds).toISOString();
    const list = (...more: string[]) =>
      adminOf(stack).admin("audit", "list", "--chain", "all", "--json", ...more);
    const period = ["--from", at(-hour), "--to", at(hour)];
    const found = await list(...period, "--network", "127.0.0.1", "--limit", "10000");
    const records: { time: string; team?: string; target: { uid?: string } }[] = JSON.parse(found.stdout);
    expect(records.some((record) => record.team === team && record.target.uid === owner.id)).toBe(true);
    expect(records.some((record) => record.target.uid === user.id)).toBe(true);
    expect(records.map(({ time }) => time)).toEqual(records.map(({ time }) => time).toSorted());

    expect((await list(...period, "--network", "198.51.100.7")).stdout.trim()).toBe("[]");
    expect(
      (await list("--from", at(-hour), "--to", at(-hour / 2), "--network", "127.0.0.1")).stdout.trim(),
    ).toBe("[]");
    expect((await list(...period)).stderr).toContain("--chain all is for a --network");
    const long = await list("--from", at(-30 * hour), "--to", at(0), "--network", "127.0.0.1");
    expect(long.stderr).toContain("24 hours at most");
  });

  it("lists what an operator has done or read concerning anybody, over several days, with the command behind each record", async () => {
    const team = await newTeam({}, stack);
    const member = await team.add();
    await resultOf("team", "members", "set-role", team.id, member.id, "owner");
    await resultOf("user", "show", member.id);
    const day = 86_400_000;
    const from = new Date(stack.clock() - 2 * day).toISOString();
    const list = async (operator: string) => {
      const { stdout } = await adminOf(stack).admin(
        "audit",
        "list",
        "--operator",
        operator,
        "--from",
        from,
        "--json",
        "--limit",
        "10000",
      );
      return JSON.parse(stdout) as {
        operation: string;
        team?: string;
        target: { uid?: string };
        command?: { name: string; id: string };
      }[];
    };
    const records = (await list("user/local")).filter(({ target }) => target.uid === member.id);
    const commands = Map.groupBy(records, ({ command }) => command?.name);
    expect(commands.get("team members set-role")?.map(({ operation }) => operation)).toContain(
      "i-update-team-member",
    );
    const shown = commands.get("user show") ?? [];
    expect(shown.length).toBeGreaterThan(1);
    expect(new Set(shown.map(({ command }) => command?.id)).size).toBe(1);
    expect(await list("user/nobody")).toEqual([]);
    const both = await adminOf(stack).admin(
      "audit",
      "list",
      "--operator",
      "local",
      "--team",
      team.id,
      "--from",
      from,
    );
    expect(both.stderr).toContain("--operator is for all of the trail");
  });

  it("finds users by a part of their name, and suspends those of a domain, a list or a network", async () => {
    const domain = "xn--spm-rla.example";
    const [zoe, bob] = await Promise.all([
      newUser({ name: "Zoë Quill", email: "zoe@sp\u00e4m.example" }, stack),
      newUser({}, stack),
    ]);
    for (const part of ["zoe q", "quill", "Zoë"])
      expect(await resultOf("user", "find", part)).toMatchObject([{ id: zoe.id, name: "Zoë Quill" }]);
    const statusOf = async ({ id }: { id: string }) => (await resultOf("user", "show", id)).status;

    const ofDomain = ["users", "suspend", "--domain", domain, "--from", "2020-01-01"];
    const planned = await admin(...ofDomain, "--dry-run", "--json");
    expect(JSON.parse(planned.stdout).would_send).toHaveLength(1);
    expect((await admin(...ofDomain, "--yes", "2")).code).toBe(1);
    expect(await statusOf(zoe)).toBe("active");
    expect(await resultOf(...ofDomain, "--yes", "1")).toEqual({ suspended: 1 });
    expect([await statusOf(zoe), await statusOf(bob)]).toEqual(["suspended", "active"]);

    const file = join(mkdtempSync(join(tmpdir(), "users-")), "list.txt");
    writeFileSync(file, `${bob.email}\n\n@nobody-${bob.id.slice(0, 8)}\n`);
    expect((await admin("users", "suspend", "--file", file, "--yes", "1")).stderr).toContain(
      `these are unknown: @nobody-${bob.id.slice(0, 8)}`,
    );
    writeFileSync(file, `${bob.email}\n${bob.id}\n`);
    expect(await resultOf("users", "suspend", "--file", file, "--yes", "1")).toEqual({ suspended: 1 });
    expect(await statusOf(bob)).toBe("suspended");

    const nobody = await admin(
      "users",
      "suspend",
      "--network",
      "198.51.100.9",
      "--from",
      new Date(stack.clock() - 3_600_000).toISOString(),
    );
    expect(nobody.stderr).toBe("There is nobody to suspend");
  });

  it("suspends who registered from a network, but leaves the deleted and the suspended as they are", async () => {
    const own = await ownStack();
    const { admin: run, resultOf: result } = adminOf(own);
    const [active, suspended, deleted] = [
      await registeredUser({ name: "Mallory" }, own),
      await registeredUser({}, own),
      await registeredUser({}, own),
    ];
    await result("user", "suspend", suspended.id);
    await result("user", "delete", deleted.id, "--yes", "Ada");
    const from = new Date(own.clock() - 3_600_000).toISOString();
    const { code, stdout, stderr } = await run(
      "users",
      "suspend",
      "--network",
      "127.0.0.1",
      "--from",
      from,
      "--yes",
      "1",
      "--json",
    );
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: { suspended: 1 } });
    expect(stderr).toContain(`Mallory  ${active.email}`);
    expect(stderr).toContain("Not active, and left as they are: 2");
  });

  it("blocks and unblocks all addresses at a domain", async () => {
    const domain = `spam-${randomUUID()}.example`;
    await resultOf("blocked", "add", domain);
    expect(await resultOf("blocked", "list")).toContainEqual({ kind: "domain", address: domain });
    expect((await register({ email: `a@${domain}` }, stack)).status).toBe(403);
    await resultOf("blocked", "remove", `@${domain}`);
    expect((await register({ email: `a@${domain}` }, stack)).status).toBe(201);
  });

  it("sends the mails of an activation, a reset and an invitation again, but none to an address that bounces", async () => {
    const email = newEmail();
    await register({ email }, stack);
    const user = await newUser({}, stack);
    const { id: team, owner } = await newTeam({}, stack);
    const invitee = newEmail();
    const json = { email: invitee, name: "Ben", role: "admin" };
    await stack.publicApi("POST", `/teams/${team}/invitations`, { token: owner.token, json });
    const counts = { activation: 2, "password-reset": 1, invitation: 2 };
    const addresses = { activation: email, "password-reset": user.email, invitation: invitee };
    for (const kind of ["activation", "password-reset", "invitation"] as const) {
      expect(await admin("mail", "resend", kind, addresses[kind])).toMatchObject({ code: 0 });
      await nextMessage(addresses[kind], { count: counts[kind] });
    }
    const invitations = await resultOf("team", "invitations", "list", team);
    expect(invitations).toMatchObject([
      { email: invitee, role: "admin", created_by: owner.id, created_by_name: "Ada" },
      { email: invitee, role: "admin", created_by: owner.id, created_by_name: "Ada" },
    ]);

    expect((await admin("mail", "resend", "activation", user.email)).stderr).toContain("proved this address");
    const another = await newTeam({}, stack);
    await stack.publicApi("POST", `/teams/${another.id}/invitations`, { token: another.owner.token, json });
    const again = await admin("mail", "resend", "invitation", invitee);
    expect(again.stderr).toContain("Several teams have invited");
    expect((await admin("mail", "resend", "invitation", newEmail())).stderr).toContain("No team has invited");
    const config = { ...stackConfig(stack.prefix), settings: parseSettings({}) };
    const suppressions = new SuppressionStore(storeContext({ config, clock: stack.clock }));
    await suppressions.suppress({ address: email, reason: "bounce" });
    expect((await admin("mail", "resend", "activation", email)).stderr).toContain("suppressed lift");
  });

  it("names people, teams and deleted groups in the trail", async () => {
    const { id: team, owner, add } = await newTeam({ name: "Engines" }, stack);
    const member = await add();
    await resultOf("team", "members", "set-role", team, member.id, "admin");
    const created = await createConversation(owner, { name: "Plans", team: { teamid: team } }, stack);
    const path = `/teams/${team}/conversations/${created.body.qualified_id.id}`;
    await stack.publicApi("DELETE", path, { token: owner.token });
    const from = new Date(stack.clock() - 3_600_000).toISOString();
    const listed = await resultOf("audit", "list", "--team", team, "--from", from);
    const { name } = await resultOf("user", "show", member.id);
    expect(listed).toContainEqual(
      expect.objectContaining({ event: "team.member-changed", who: "user/local", whom: `${name}, Engines` }),
    );
    expect(listed).toContainEqual(
      expect.objectContaining({ event: "conversation.deleted", who: "Ada", whom: "Plans, Engines" }),
    );
  });

  it("changes an address with a code, or immediately where it is known to be the user's", async () => {
    const user = await newUser({}, stack);
    const [proved, trusted] = [newEmail(), newEmail()];
    expect(await resultOf("user", "set-address", user.email, proved)).toEqual({
      email: proved,
      changes: "once its code is entered",
    });
    expect(await resultOf("user", "show", user.id)).toMatchObject({
      email: user.email,
      email_unvalidated: proved,
    });
    await activate({ email: proved }, stack);
    expect(await emailOf(user.id)).toBe(proved);

    const immediately = ["user", "set-address", user.id, trusted, "--verified"];
    await resultOf(...immediately, "--dry-run");
    expect(await emailOf(user.id)).toBe(proved);
    expect(await resultOf(...immediately)).toMatchObject({ changes: "now" });
    expect(await emailOf(user.id)).toBe(trusted);

    const other = await newUser({}, stack);
    expect((await admin("user", "set-address", other.id, trusted)).stderr).toContain("409 key-exists");
    expect((await admin("user", "set-address", other.id, "not an address")).stderr).toContain("400");
  });

  it("changes a handle, unless it is taken or malformed", async () => {
    const [user, other] = [await newUser({}, stack), await newUser({}, stack)];
    const handle = `h${user.id.replaceAll("-", "")}`.slice(0, 20);
    await resultOf("user", "set-handle", user.id, `@${handle}`);
    expect(await resultOf("user", "find", handle)).toMatchObject([{ id: user.id }]);
    expect((await admin("user", "set-handle", other.id, handle)).stderr).toContain("409 handle-exists");
    expect((await admin("user", "set-handle", other.id, "No Handle")).stderr).toContain("400 invalid-handle");
  });

  it("lists devices and sessions, and removes a device once the user's name is repeated", async () => {
    const user = await registeredUser({}, stack);
    const device = (await registerDevice(user, {}, { publicApi: stack.publicApi })).body.id;
    expect(await resultOf("user", "devices", "list", user.id)).toMatchObject([
      { id: device, type: "permanent", added: expect.any(String) },
    ]);
    expect(await resultOf("user", "sessions", "list", user.id)).toContainEqual({
      id: expect.any(Number),
      type: "persistent",
      created: expect.any(String),
      expires: expect.any(String),
    });

    const remove = (...more: string[]) => admin("user", "devices", "remove", user.id, device, ...more);
    expect((await remove()).stderr).toContain('--yes "Ada"');
    expect((await remove("--yes", "Ada")).code).toBe(0);
    expect(await resultOf("user", "devices", "list", user.id)).toEqual([]);
    expect((await remove("--yes", "Ada")).stderr).toContain("404 client-not-found");
  });

  it("shows why logins are refused, and lets the user in again", async () => {
    const user = await newUser({}, stack);
    const guess = { ...user, password: "not the password" };
    for (let count = 0; count < 2; count++) await logIn(guess, { apis: stack });
    expect(outcome(await logIn(user, { apis: stack }))).toBe("403 client-error");
    const limits = await resultOf("user", "limits", "show", user.id);
    expect(limits).toMatchObject([{ limit: "logins", identity: user.email }]);
    expect((await resultOf("user", "show", user.id)).refused_now).toHaveLength(1);

    await resultOf("user", "limits", "reset", user.id, "--dry-run");
    expect(outcome(await logIn(user, { apis: stack }))).toBe("403 client-error");
    await resultOf("user", "limits", "reset", user.id);
    expect(outcome(await logIn(user, { apis: stack }))).toBe("200");
    await resultOf("user", "reset-second-factor", user.id);
  });

  it("lists the apps that have access, and takes it from one", async () => {
    const user = await newUser({}, stack);
    const app = await newApp({}, stack);
    const tokens = await newTokens(app, user, {}, stack);
    expect(await resultOf("user", "grants", "list", user.id)).toEqual([
      { app: app.client_id, name: "Calendar", sessions: 1, newest: expect.any(String) },
    ]);
    await resultOf("user", "grants", "revoke", user.id, app.client_id);
    expect(await resultOf("user", "grants", "list", user.id)).toEqual([]);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, stack))).toBe("403 forbidden");
  });
});

describe.concurrent("npm run admin -- apps", () => {
  it("registers, shows, changes and deletes an app, and ends a leaked secret", async () => {
    const stack = await ownStack();
    const { admin, resultOf } = adminOf(stack);
    const redirect = "https://app.example.com/callback";
    const { client_id, client_secret } = await resultOf("apps", "register", "Calendar", redirect);
    const shown = { client_id, application_name: "Calendar", redirect_url: redirect };
    expect(await resultOf("apps", "show", client_id)).toEqual(shown);
    expect((await admin("apps", "register", "x", redirect)).stderr).toContain("400");
    expect((await admin("apps", "register", "Calendar", "javascript:x")).stderr).toContain("400");

    const further = ["com.example.app:/callback", "http://127.0.0.1:9999/callback"];
    const furtherOptions = further.flatMap((url) => ["--further", url]);
    const several = { application_name: "Calendar", redirect_url: redirect, further_redirect_urls: further };
    const second = await resultOf("apps", "register", "Calendar", redirect, ...furtherOptions);
    expect(await resultOf("apps", "show", second.client_id)).toMatchObject(several);
    expect(
      await resultOf("apps", "change", client_id, "Calendar", redirect, ...furtherOptions),
    ).toMatchObject(several);
    expect(
      (await admin("apps", "change", client_id, "Calendar", redirect, "--further", "x")).stderr,
    ).toContain("further");
    const user = await newUser({}, stack);
    for (const redirect_url of [redirect, ...further])
      await newTokens({ client_id, client_secret, redirect_url }, user, {}, stack);
    await resultOf("apps", "change", client_id, "Planner", redirect);
    expect(await resultOf("apps", "show", client_id)).toEqual({ ...shown, application_name: "Planner" });

    const app = { client_id, client_secret, redirect_url: redirect };
    const { refresh_token } = await newTokens(app, user, {}, stack);
    const refreshWith = async (secret: string) =>
      outcome(await refresh(app, refresh_token, { client_secret: secret }, stack));
    const rotated = await resultOf("apps", "rotate-secret", client_id, "--leaked");
    expect(await refreshWith(client_secret)).toBe("403 forbidden");
    expect(await refreshWith(rotated.client_secret)).toBe("200");

    expect((await admin("apps", "delete", client_id, "--yes", "Calendar")).code).toBe(1);
    await resultOf("apps", "delete", client_id, "--yes", "Planner");
    expect((await admin("apps", "show", client_id)).stderr).toContain("404 not-found");
  });
});
