import { describe, expect, it } from "vitest";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers, localDomain, requestConnection } from "../../support/connections.ts";
import { eventually } from "../../support/eventually.ts";
import { codeIn, messagesTo, nextMessage } from "../../support/messages.ts";
import { lastPrekey, newPrekeys } from "../../support/prekeys.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { activate, logIn, newEmail, newPhone, newUser, register, type User } from "../../support/users.ts";

/** Longer than anything that a test waits for. */
const longestTestSeconds = 120;

const deleteSelf = ({ token }: Pick<User, "token">, json: object = {}, callApi = api) =>
  callApi("DELETE", "/self", { token, json });
const confirm = (json: object, callApi = api) => callApi("POST", "/delete", { json });

/** Key and code in the mail that asks to confirm the deletion. */
async function deletionCode(email: string): Promise<{ key: string; code: string }> {
  return eventually(async () => {
    const mails = await messagesTo(email);
    // The activation mail may arrive later.
    const headers = mails.map((mail) => mail.headers).find((one) => one["X-Svc-Purpose"] === "Delete");
    if (headers === undefined) throw new Error(`No deletion code to ${email} yet`);
    return { key: headers["X-Svc-Key"] ?? "", code: headers["X-Svc-Code"] ?? "" };
  });
}

const profile = (id: string, { token }: User): Promise<ApiAnswer> =>
  api("GET", `/v8/users/${localDomain}/${id}`, { token });

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
async function eventsOf({ token }: User): Promise<any[]> {
  const { body } = await api("GET", "/notifications?size=1000", { token });
  return body.notifications.flatMap(({ payload }: { payload: unknown[] }) => payload);
}

describe.concurrent("DELETE /self", () => {
  it("deletes immediately with the right password, and returns 200 when repeated", async () => {
    const user = await newUser();
    expect(outcome(await deleteSelf(user, { password: user.password }))).toBe("200");
    expect(outcome(await deleteSelf(user, { password: user.password }))).toBe("200");
    expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
    expect(outcome(await api("POST", "/access", { cookie: user.cookie }))).toBe("403 invalid-credentials");
    expect(outcome(await api("GET", "/self", { token: user.token }))).toBe("404 not-found");
  });

  it("refuses a wrong password and keeps the account", async () => {
    const user = await newUser();
    expect(outcome(await deleteSelf(user, { password: "wrong password" }))).toBe("403 invalid-credentials");
    expect(outcome(await deleteSelf(user, { password: "12345" }))).toBe("403 invalid-credentials");
    expect(outcome(await logIn(user))).toBe("200");
  });

  it("mails a code without a password, and returns 403 pending-delete until the code deletes the account", async () => {
    const user = await newUser();
    const first = await deleteSelf(user);
    const { key, code } = await deletionCode(user.email);
    const second = await deleteSelf(user);

    expect(first.status).toBe(202);
    expect(first.body).toEqual({ expires_in: 600 });
    expect(outcome(second)).toBe("403 pending-delete");
    expect(second.body.expires_in).toBeGreaterThan(600 - longestTestSeconds);
    expect(key).toHaveLength(20);
    expect(code).toHaveLength(20);
    expect(outcome(await logIn(user))).toBe("200");
    expect(outcome(await confirm({ key, code }))).toBe("200");
    expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
  });

  it("sends a link by SMS to a user who has only a phone number", async () => {
    const phone = newPhone();
    await api("POST", "/activate/send", { json: { phone } });
    const phone_code = codeIn(await nextMessage(phone));
    const registered = await register({ phone, phone_code });
    const { body } = await api("POST", "/access", { cookie: registered.cookie });
    expect((await deleteSelf({ token: body.access_token })).status).toBe(202);
    const { text } = await nextMessage(phone, { count: 2 });
    const link = new URL(/http\S+/.exec(text)?.[0] ?? "");

    expect(link.pathname).toBe("/delete");
    expect(outcome(await confirm(Object.fromEntries(link.searchParams)))).toBe("200");
  });

  it("deletes an anonymous user immediately, unless a password is given", async () => {
    const { body, cookie } = await register({});
    const { body: access } = await api("POST", "/access", { cookie });
    const token = access.access_token;
    expect(outcome(await deleteSelf({ token }, { password: "some password" }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await deleteSelf({ token }))).toBe("200");
    expect((await profile(body.id, await newUser())).body.deleted).toBe(true);
  });

  it("deletes once when 20 requests are sent concurrently", async () => {
    const user = await newUser();
    const { password } = user;
    const answers = await Promise.all(Array.from({ length: 20 }, () => deleteSelf(user, { password })));
    expect(new Set(answers.map(outcome))).toEqual(new Set(["200"]));
    await eventually(async () =>
      expect((await eventsOf(user)).filter(({ type }) => type === "user.delete")).toHaveLength(1),
    );
  });
});

describe.concurrent("POST /delete", () => {
  it("refuses an unknown key with 403 invalid-code", async () => {
    expect(outcome(await confirm({ key: "k".repeat(20), code: "123456" }))).toBe("403 invalid-code");
  });

  it("refuses the right code after three wrong ones", async () => {
    const user = await newUser();
    await deleteSelf(user);
    const { key, code } = await deletionCode(user.email);
    for (const wrong of ["1", "2", "3"]) {
      expect(outcome(await confirm({ key, code: code.slice(1) + wrong }))).toBe("403 invalid-code");
    }
    expect(outcome(await confirm({ key, code }))).toBe("403 invalid-code");
    expect(outcome(await logIn(user))).toBe("200");
  });

  it("refuses a code that was mailed to a former address", async () => {
    const user = await newUser();
    await deleteSelf(user);
    const sent = await deletionCode(user.email);
    const email = newEmail();
    await api("PUT", "/access/self/email", { token: user.token, cookie: user.cookie, json: { email } });
    await activate({ email });
    expect(outcome(await confirm(sent))).toBe("403 invalid-code");
    expect(outcome(await deleteSelf(user))).toBe("202");
  });

  it("refuses an expired code, and another user's code", async () => {
    const stack = await stackWith();
    const [user, other] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const { publicApi } = stack;
    await Promise.all([deleteSelf(user, {}, publicApi), deleteSelf(other, {}, publicApi)]);
    const [own, others] = await Promise.all([deletionCode(user.email), deletionCode(other.email)]);
    expect(outcome(await confirm({ key: own.key, code: others.code }, publicApi))).toBe("403 invalid-code");
    stack.advance(601);
    expect(outcome(await confirm(own, publicApi))).toBe("403 invalid-code");
  });
});

describe.concurrent("a deleted account", () => {
  it("remains as a tombstone, while its email address and handle become free", async () => {
    const handle = `gone-${crypto.randomUUID()}`;
    const [user, viewer] = await Promise.all([newUser(), newUser()]);
    await api("PUT", "/self/handle", { token: user.token, json: { handle } });
    await deleteSelf(user, { password: user.password });
    const { status, body } = await profile(user.id, viewer);

    expect(status).toBe(200);
    expect(body).toMatchObject({ id: user.id, name: "default", deleted: true, assets: [], accent_id: 0 });
    expect(body).not.toHaveProperty("handle");
    const claim = await api("PUT", "/self/handle", { token: viewer.token, json: { handle } });
    expect(outcome(claim)).toBe("200");
    expect(outcome(await register({ email: user.email }))).toBe("201");
  });

  it("is announced to its devices and contacts, but not to blocked users, and cancels pending requests", async () => {
    const [user, contact, requester, requested, blocked] = (await Promise.all(
      Array.from({ length: 5 }, () => newUser()),
    )) as [User, User, User, User, User];
    await Promise.all([connectUsers(user, contact), connectUsers(user, blocked)]);
    await requestConnection(requester, user);
    await requestConnection(user, requested);
    await api("PUT", `/connections/${localDomain}/${blocked.id}`, {
      token: user.token,
      json: { status: "blocked" },
    });
    const socket = await openSocket(`/await?access_token=${user.token}`);
    await deleteSelf(user, { password: user.password });

    const gone = { type: "user.delete", id: user.id, qualified_id: { domain: localDomain, id: user.id } };
    await eventually(async () => {
      expect(await eventsOf(user)).toContainEqual(gone);
      expect(await eventsOf(contact)).toContainEqual(gone);
      for (const [one, status] of [
        [requester, "cancelled"],
        [requested, "cancelled"],
      ] as const) {
        const last = (await eventsOf(one)).at(-1);
        expect(last).toMatchObject({ type: "user.connection", connection: { to: user.id, status } });
        expect(last).not.toHaveProperty("user");
      }
      for (const one of [contact, requester, requested, blocked]) {
        const { body } = await api("POST", "/list-connections", { token: one.token, json: {} });
        expect(body.connections).toEqual([]);
      }
    });
    expect((await eventsOf(blocked)).filter(({ type }) => type === "user.delete")).toEqual([]);
    await socket.next(({ payload }) => payload[0].type === "user.delete");
  });

  it("loses its devices and properties, and cannot add devices", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const device = { type: "permanent", prekeys: newPrekeys(2), lastkey: lastPrekey() };
    const added = await api("POST", "/clients", { token: user.token, json: device });
    await api("PUT", "/properties/some", { token: user.token, json: { a: 1 } });
    expect(added.status).toBe(201);
    await deleteSelf(user, { password: user.password });

    await eventually(async () => {
      const { body } = await api("GET", `/v8/users/${localDomain}/${user.id}/clients`, {
        token: other.token,
      });
      expect(body).toEqual([]);
      const properties = await api("GET", "/properties", { token: user.token });
      expect(properties.body).toEqual([]);
    });
    const types = (await eventsOf(user)).map(({ type }) => type);
    expect(types.slice(types.indexOf("user.delete"))).toEqual(["user.delete"]);
    const path = `/v8/users/${localDomain}/${user.id}/prekeys/${added.body.id}`;
    expect(outcome(await api("GET", path, { token: other.token }))).toBe("404 not-found");
    const late = await api("POST", "/clients", { token: user.token, json: device });
    expect(outcome(late)).toBe("404 not-found");
  });
});

describe.concurrent("DELETE /i/users/{uid}", () => {
  it("returns 202, then 200, and 404 for an unknown user", async () => {
    const user = await newUser();
    const remove = (id: string) => internalApi("DELETE", `/i/users/${id}`);
    expect(outcome(await remove(user.id))).toBe("202");
    expect(outcome(await remove(user.id))).toBe("200");
    expect(outcome(await remove(crypto.randomUUID()))).toBe("404 not-found");
    expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
  });

  it("cancels a pending change of the email address, too", async () => {
    const user = await newUser();
    const email = newEmail();
    await api("PUT", "/access/self/email", { token: user.token, cookie: user.cookie, json: { email } });
    const { headers } = await nextMessage(email);
    await internalApi("DELETE", `/i/users/${user.id}`);
    const json = { email, code: headers["X-Svc-Code"] };
    expect(outcome(await api("POST", "/activate", { json }))).toBe("404 invalid-code");
  });

  it("leaves no code for an unconfirmed address or number", async () => {
    const user = await newUser();
    const [email, phone] = [newEmail(), newPhone()];
    const { token, cookie } = user;
    await api("PUT", "/access/self/email", { token, cookie, json: { email } });
    await api("PUT", "/self/phone", { token, json: { phone } });
    await internalApi("DELETE", `/i/users/${user.id}`);
    await eventually(async () => {
      for (const address of [`email=${email}`, `phone=${encodeURIComponent(phone)}`]) {
        const pending = await internalApi("GET", `/i/users/activation-code?${address}`);
        expect(outcome(pending)).toBe("404 not-found");
      }
    });
  });
});

describe("an anonymous account past its expiry", () => {
  it("is shown as deleted, and is deleted by the first look-up", async () => {
    const stack = await stackWith();
    const viewer = await newUser({}, stack);
    const { body } = await register({ expires_in: 60 }, stack);
    stack.advance(61);
    const look = () => stack.publicApi("GET", `/v8/users/${localDomain}/${body.id}`, { token: viewer.token });
    expect((await look()).body).toMatchObject({ name: "default", deleted: true });
    await eventually(async () => {
      const { body: status } = await stack.internalApi("GET", `/i/users/${body.id}/status`);
      expect(status).toEqual({ status: "deleted" });
      const again = await stack.internalApi("DELETE", `/i/users/${body.id}`);
      expect(outcome(again)).toBe("200");
    });
  });
});
