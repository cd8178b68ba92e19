import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { newApp } from "../../support/oauth.ts";
import { ownStack } from "../../support/own-stack.ts";
import { pagesOf } from "../../support/pages.ts";
import { purgeExpired } from "../../support/purge-expired.ts";
import { openSocket } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { logIn, newEmail, newPhone, registeredUser } from "../../support/users.ts";

describe.concurrent("POST /i/users/{uid}/logout", () => {
  it("revokes all cookies and closes all sockets, and lets the user log in again", async () => {
    const user = await registeredUser();
    const socket = await openSocket("/await", { token: user.token });
    const second = await logIn(user);

    expect(outcome(await internalApi("POST", `/i/users/${user.id}/logout`))).toBe("200");

    for (const cookie of [user.cookie, second.cookie])
      expect((await api("POST", "/access", { cookie })).status).toBe(403);
    await socket.closed;
    expect(outcome(await logIn(user))).toBe("200");
  });

  it("returns 404 for an unknown user and for a deleted one", async () => {
    expect(outcome(await internalApi("POST", `/i/users/${randomUUID()}/logout`))).toBe("404 not-found");
    const { id } = await registeredUser();
    await internalApi("DELETE", `/i/users/${id}`);
    expect(outcome(await internalApi("POST", `/i/users/${id}/logout`))).toBe("404 not-found");
  });
});

describe.concurrent("GET /i/users/{uid}/activity", () => {
  const activityOf = async (id: string, stack = { internalApi }) =>
    (await stack.internalApi("GET", `/i/users/${id}/activity`)).body;

  it("shows the last login, which a log-out and a suspension do not change", async () => {
    const stack = await stackWith({}, { isClockStopped: true });
    const user = await registeredUser({}, stack);
    const registered = await activityOf(user.id, stack);
    const today = new Date(stack.clock()).toISOString().slice(0, 10);
    expect(registered).toEqual({ last_login: expect.stringMatching(/^\d.*Z$/), active_on: today });

    const before = new Date(stack.clock()).toISOString();
    const { cookie } = await logIn(user, { apis: stack });
    const after = await activityOf(user.id, stack);
    expect(after.last_login >= before).toBe(true);

    await stack.publicApi("POST", "/access", { cookie });
    expect(await activityOf(user.id, stack)).toEqual(after);
    await stack.internalApi("POST", `/i/users/${user.id}/logout`);
    expect(await activityOf(user.id, stack)).toEqual(after);
    await stack.internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    await logIn(user, { apis: stack });
    expect(await activityOf(user.id, stack)).toEqual(after);
  });

  it("still shows the last login when all sessions have expired and are purged", async () => {
    const stack = await ownStack();
    const user = await registeredUser({}, stack);
    const before = await activityOf(user.id, stack);
    stack.advance(100 * 86_400);
    await purgeExpired(stack);
    expect(await activityOf(user.id, stack)).toEqual(before);
  });

  it("returns 404 for an unknown user and for a deleted one", async () => {
    const { id } = await registeredUser();
    await internalApi("DELETE", `/i/users/${id}`);
    for (const uid of [id, randomUUID()])
      expect(outcome(await internalApi("GET", `/i/users/${uid}/activity`))).toBe("404 not-found");
  });
});

describe.concurrent("GET /i/blocked-addresses", () => {
  it("lists blocked addresses and numbers page by page, until they are unblocked", async () => {
    const stack = await ownStack();
    const change = (method: string, address: Record<string, string>) =>
      stack.internalApi(method, `/i/users/blacklist?${new URLSearchParams(address)}`);
    const list = () => pagesOf(stack, "/i/blocked-addresses", "blocked", { size: 2 });
    expect((await list()).entries).toEqual([]);

    const emails = [newEmail(), newEmail(), newEmail()].toSorted();
    const phone = newPhone();
    for (const email of emails) await change("POST", { email: email.replace("@", "+suffix@").toUpperCase() });
    await change("POST", { phone });
    const expected = [
      ...emails.map((address) => ({ kind: "email", address })),
      { kind: "phone", address: phone },
    ];
    expect(await list()).toEqual({ entries: expected, longest: 2 });

    await change("POST", { phone });
    await change("DELETE", { email: emails[0] ?? "" });
    expect((await list()).entries).toEqual(expected.slice(1));
  });

  it("refuses sizes beyond its limits, and cursors of other lists", async () => {
    for (const query of ["size=0", "size=101", "size=1.5", "start=e30", "start=%21"])
      expect(outcome(await internalApi("GET", `/i/blocked-addresses?${query}`))).toBe("400 bad-request");
  });
});

describe.concurrent("GET /i/oauth/clients", () => {
  it("lists the apps, page by page, until they are removed", async () => {
    const stack = await ownStack();
    const list = () => pagesOf(stack, "/i/oauth/clients", "clients", { size: 2 });
    expect((await list()).entries).toEqual([]);
    const apps = await Promise.all([newApp({}, stack), newApp({}, stack), newApp({}, stack)]);
    const expected = apps
      .toSorted((one, other) => (one.client_id < other.client_id ? -1 : 1))
      .map(({ client_id, redirect_url }) => ({
        client_id,
        redirect_url,
        application_name: "Calendar",
        created_at: expect.stringMatching(/Z$/),
      }));
    expect(await list()).toEqual({ entries: expected, longest: 2 });

    await stack.internalApi("DELETE", `/i/oauth/clients/${expected[0]?.client_id}`);
    expect((await list()).entries).toEqual(expected.slice(1));
  });
});

describe.concurrent("GET /i/mail-suppressions/list", () => {
  it("lists suppressed addresses page by page, the last reported first, until the suppression is lifted", async () => {
    const stack = await ownStack();
    const config = { ...stackConfig(stack.prefix), settings: parseSettings(stack.data?.settings ?? {}) };
    let time = stack.clock();
    const store = new SuppressionStore(storeContext({ config, clock: () => time }));
    const emails = [newEmail(), newEmail().replace("@", "#1@"), newEmail()];
    const report = async (address = "") => {
      time += 1000;
      await store.suppress({ address, reason: "bounce" });
    };
    for (const address of emails) await report(address);
    await report(emails[0]);
    const list = async () => {
      const { entries, longest } = await pagesOf<{ email: string }>(
        stack,
        "/i/mail-suppressions/list",
        "suppressions",
        { size: 2 },
      );
      return { emails: entries.map(({ email }) => email), longest };
    };
    expect(await list()).toEqual({ emails: [emails[0], emails[2], emails[1]], longest: 2 });
    expect((await stack.internalApi("GET", "/i/mail-suppressions/list?size=1")).body).toEqual({
      suppressions: [
        {
          email: emails[0],
          reason: "bounce",
          reported_at: new Date(time).toISOString(),
          expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        },
      ],
      next: expect.any(String),
    });

    const from = new Date(time).toISOString();
    const { suppressions } = (await stack.internalApi("GET", `/i/mail-suppressions/list?from=${from}`)).body;
    expect(suppressions).toHaveLength(1);
    await stack.internalApi(
      "DELETE",
      `/i/mail-suppressions?${new URLSearchParams({ email: emails[2] ?? "" })}`,
    );
    expect((await list()).emails).toEqual([emails[0], emails[1]]);
    stack.advance(40 * 86_400);
    expect((await list()).emails).toEqual([]);
  });
});

describe.concurrent("/i/mail-suppressions", () => {
  it("shows why an address gets no mail, and lifts the suppression", async () => {
    const stack = await stackWith();
    const settings = parseSettings(stack.data?.settings ?? {});
    const config = { ...stackConfig(stack.prefix), settings };
    const email = newEmail();
    const call = (method: string, address = email) =>
      stack.internalApi(method, `/i/mail-suppressions?${new URLSearchParams({ email: address })}`);
    expect(outcome(await call("GET"))).toBe("404 not-found");

    await new SuppressionStore(storeContext({ config, clock: stack.clock })).suppress({
      address: email,
      reason: "complaint",
    });
    const expires_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect((await call("GET")).body).toEqual({ email, reason: "complaint", expires_at });
    expect(outcome(await call("GET", email.toUpperCase()))).toBe("404 not-found");

    expect(outcome(await call("DELETE"))).toBe("200");
    expect(outcome(await call("DELETE"))).toBe("200");
    expect(outcome(await call("GET"))).toBe("404 not-found");
  });
});
