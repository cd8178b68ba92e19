import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { adminAt, adminOf, spawnAdmin } from "../../support/admin.ts";
import { outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { newApp } from "../../support/oauth.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam } from "../../support/teams.ts";
import { logIn, newEmail, newPhone, newUser, registeredUser } from "../../support/users.ts";

describe("npm run admin", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await ownStack();
  });
  const admin = (...args: string[]) => adminOf(stack).admin(...args);
  const resultOf = (...args: string[]) => adminOf(stack).resultOf(...args);

  describe.concurrent("about a user", () => {
    it("finds users by address, handle and id, and says when there is none", async () => {
      const { id, email, token } = await newUser({}, stack);
      const handle = `h${id.replaceAll("-", "")}`.slice(0, 20);
      await stack.publicApi("PUT", "/self/handle", { token, json: { handle } });
      for (const text of [id, email.toUpperCase(), handle, `@${handle}`])
        expect(await resultOf("user", "find", text)).toMatchObject([{ id, email, handle }]);
      expect(await admin("user", "find", "nobody@example.com")).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("no user with the verified address nobody@example.com: users list"),
      });
    });

    it("shows status, team, role, devices, cookies and suppression in one view", async () => {
      const { owner, id: team } = await newTeam({}, stack);
      await registerDevice(owner, {}, { publicApi: stack.publicApi });
      const config = { ...stackConfig(stack.prefix), settings: parseSettings(stack.data?.settings ?? {}) };
      const suppressions = new SuppressionStore(storeContext({ config, clock: stack.clock }));
      await suppressions.suppress({ address: owner.email, reason: "bounce" });
      expect(await resultOf("user", "show", owner.email)).toMatchObject({
        id: owner.id,
        status: "active",
        team,
        role: "owner",
        legal_hold: "no_consent",
        second_factor: "disabled",
        address_blocked: false,
        mail_suppressed: expect.stringMatching(/^bounce, until 2/),
        refused_now: [],
        last_login: expect.stringMatching(/^2.*Z$/),
        active_on: expect.any(String),
        devices: [{ id: expect.any(String), type: "permanent" }],
      });
      expect((await resultOf("suppressed", "show", owner.email)).reason).toBe("bounce");
      const listed: { email: string }[] = await resultOf("suppressed", "list");
      expect(listed.map(({ email }) => email)).toContain(owner.email);
      await resultOf("suppressed", "lift", owner.email);
      expect((await resultOf("user", "show", owner.id)).mail_suppressed).toBeUndefined();
    });

    it("suspends, resumes, logs out and deletes a user, but does none of that in a dry run", async () => {
      const user = await registeredUser({}, stack);
      const statusOf = async () => (await resultOf("user", "show", user.id)).status;
      const isUsable = async (cookie: string) =>
        (await stack.publicApi("POST", "/access", { cookie })).status === 200;

      expect(await resultOf("user", "suspend", user.email, "--dry-run")).toEqual({
        would_send: [{ method: "PUT", path: `/i/users/${user.id}/status`, body: { status: "suspended" } }],
      });
      await resultOf("user", "delete", user.id, "--dry-run");
      expect(await statusOf()).toBe("active");

      await resultOf("user", "suspend", user.id);
      expect(await statusOf()).toBe("suspended");
      await resultOf("user", "resume", user.id);
      expect(await statusOf()).toBe("active");

      const { cookie = "" } = await logIn(user, { apis: stack });
      await resultOf("user", "log-out", user.id);
      expect(await isUsable(cookie)).toBe(false);
      expect(await resultOf("user", "show", user.id)).toMatchObject({ sessions: 0, status: "active" });

      const unconfirmed = await admin("user", "delete", user.id);
      expect(unconfirmed).toMatchObject({ code: 1, stderr: 'This cannot be undone: add --yes "Ada"' });
      expect(await admin("user", "delete", user.id, "--yes", "Bob")).toMatchObject({ code: 1 });
      expect(await statusOf()).toBe("active");
      await resultOf("user", "delete", user.id, "--yes", "Ada");
      expect(await statusOf()).toBe("deleted");
    });
  });

  it.concurrent("shows, suspends and resumes a team with its members", async () => {
    const { owner, id } = await newTeam({}, stack);
    expect(await resultOf("team", "show", id)).toMatchObject({
      id,
      status: "active",
      members: 1,
      admins: [{ user: owner.id, role: "owner" }],
    });
    await resultOf("team", "suspend", id);
    await eventually(async () => {
      expect((await resultOf("user", "show", owner.id)).status).toBe("suspended");
    });
    await resultOf("team", "resume", id);
    await eventually(async () => {
      expect((await resultOf("user", "show", owner.id)).status).toBe("active");
    });
  });

  it.concurrent("lists apps and blocked addresses", async () => {
    const { client_id } = await newApp({}, stack);
    expect(await resultOf("apps", "list")).toMatchObject([{ client_id, application_name: "Calendar" }]);

    const [email, phone] = [newEmail(), newPhone()];
    await resultOf("blocked", "add", email);
    await resultOf("blocked", "add", phone);
    expect(await resultOf("blocked", "list")).toEqual([
      { kind: "email", address: email },
      { kind: "phone", address: phone },
    ]);
    const first = await admin("blocked", "list", "--limit", "1");
    expect(first.stdout.split("\n")[1]).toContain(email);
    expect(first.stderr).toBe("There are more: raise --limit.");
    await resultOf("blocked", "remove", email);
    expect(await resultOf("blocked", "list")).toEqual([{ kind: "phone", address: phone }]);
  });

  it.concurrent("calls any operation of the internal API, and says in one line why one is refused", async () => {
    const { id } = await newUser({}, stack);
    expect(await resultOf("call", "i-get-user-status", `uid=${id}`)).toEqual({ status: "active" });
    expect((await admin("call", "i-put-user-status", `uid=${id}`, "status=gone")).stderr).toBe(
      "The status can only be active or suspended (400 invalid-status)",
    );
    expect((await admin("call", "i-delete-user", `uid=${id}`)).stderr).toContain("--yes");
    expect(outcome(await stack.internalApi("GET", `/i/users/${id}/status`))).toBe("200");
  });
});

describe.concurrent("npm run admin without an API", () => {
  it("says that there is no answer, and never sends unsigned requests to another machine", async () => {
    // A port that `fetch` refuses to connect to.
    expect(await spawnAdmin(["apps", "list", "--url", "http://127.0.0.1:9"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:9: .*\nRun npm start, .*--url/),
    });
    expect((await adminAt("https://example.com", ["apps", "list"])).stderr).toContain("name a stage instead");
  });

  it("reports a refusal to a caller without rights, as the gateway answers it", async ({
    onTestFinished,
  }) => {
    const gateway = createServer((_, response) => {
      response.writeHead(403, { "content-type": "application/json" });
      response.end('{"message":"Forbidden"}');
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void gateway.close());
    await once(gateway, "listening");
    const { port } = gateway.address() as AddressInfo;
    const refused = await adminAt(`http://127.0.0.1:${port}`, ["user", "delete", "ada@example.com"]);
    expect(refused).toEqual({ code: 1, stdout: "", stderr: "Forbidden (403)" });
  });

  it("says when nobody has a handle and the caller may not search names", async ({ onTestFinished }) => {
    const gateway = createServer(({ url }, response) => {
      const mayRead = !url?.startsWith("/i/users/list");
      response.writeHead(mayRead ? 200 : 403, { "content-type": "application/json" });
      response.end(mayRead ? "[]" : '{"message":"Forbidden"}');
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void gateway.close());
    await once(gateway, "listening");
    const { port } = gateway.address() as AddressInfo;
    expect((await adminAt(`http://127.0.0.1:${port}`, ["user", "find", "quill"])).stderr).toBe(
      "There is no user quill: nobody has this handle, and you may not search names (role auditor)",
    );
  });

  it("explains its commands, and reports unknown ones", async () => {
    const url = "http://127.0.0.1:9";
    expect((await adminAt(url, ["user", "fnd"])).stderr).toContain("commands are user find, user show");
    expect((await adminAt(url, ["user", "find", "a", "b"])).code).toBe(1);
    const help = await spawnAdmin(["user", "delete", "--help"]);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("user delete ada@example.com") });
  });
});
