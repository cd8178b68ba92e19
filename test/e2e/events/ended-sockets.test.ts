import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, api, internalApi } from "../../support/api.ts";
import { idOf, newDevice, registerDevice } from "../../support/devices.ts";
import { eventSource, newReader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type Fault, injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { newPushToken, registerPushToken } from "../../support/push-tokens.ts";
import { handshakeStatus, openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { cookieIdOf, partsOf, signedToken } from "../../support/tokens.ts";
import { logIn, newUser, registeredUser, somePassword, type User } from "../../support/users.ts";

/** A user with two sessions; `token` and `cookie` are those of the first. */
interface TwoSessions extends User {
  readonly other: { readonly token: string; readonly cookie: string };
}

async function twoSessions(user: User): Promise<TwoSessions> {
  const { body, cookie = "" } = await logIn(user);
  return { ...user, other: { token: body.access_token, cookie } };
}

async function resetPassword({ email }: User): Promise<void> {
  await api("POST", "/password-reset", { json: { email } });
  const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${email}`);
  await api("POST", "/password-reset/complete", {
    json: { key: body.key, code: body.code, password: `new ${randomUUID()}` },
  });
}

const removeCookies = ({ token, password }: User, fields: object) =>
  api("POST", "/cookies/remove", { token, json: { password, ...fields } });

const endings: [what: string, act: (user: TwoSessions) => Promise<unknown>][] = [
  [
    "the password is changed",
    ({ token, password }) =>
      api("PUT", "/self/password", {
        token,
        json: { old_password: password, new_password: `new ${randomUUID()}` },
      }),
  ],
  ["the password is reset", resetPassword],
  [
    "the account is suspended",
    ({ id }) => internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } }),
  ],
  ["the account is deleted", ({ token, password }) => api("DELETE", "/self", { token, json: { password } })],
  ["all cookies are removed", (user) => removeCookies(user, {})],
];

const endingsOfOne: typeof endings = [
  ["it logs out", ({ cookie, token }) => api("POST", "/access/logout", { cookie, token })],
  ["its cookie is removed", (user) => removeCookies(user, { ids: [cookieIdOf(user.cookie)] })],
];

describe.concurrent("the sockets of a session", () => {
  it.each(endings)("close when %s", async (_, end) => {
    const user = await twoSessions(await newUser());
    const sockets = await Promise.all([
      openSocket("/await", user),
      openSocket("/events", user),
      openSocket("/await", user.other),
    ]);
    await end(user);

    for (const socket of sockets) expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(await handshakeStatus("/await", user)).toBe(401);
    expect(await handshakeStatus("/events", user.other)).toBe(401);
  });

  it.each(endingsOfOne)("close when %s, and those of another session stay open", async (_, end) => {
    const user = await twoSessions(await newUser());
    const [own, other] = await Promise.all([openSocket("/await", user), openSocket("/await", user.other)]);
    await end(user);
    await own.closed;
    other.send("ping");

    expect(await other.first(1)).toEqual(["pong"]);
    expect(await handshakeStatus("/await", user)).toBe(401);
    expect(await handshakeStatus("/await", user.other)).toBe(101);
  });

  it("close when a later access token of the session logs out", async () => {
    const user = await newUser();
    const socket = await openSocket("/await", user);
    const { body } = await api("POST", "/access", { cookie: user.cookie });
    expect(partsOf(body.access_token).c).not.toBe(partsOf(user.token).c);
    await api("POST", "/access/logout", { cookie: user.cookie, token: body.access_token });

    expect(await socket.closed).toMatchObject({ code: 1000 });
  });

  it("close even if its access token took over the connection of another token", async () => {
    const user = await newUser();
    const foreign = await signedToken({ userId: user.id, connectionId: "18446744073709551615" });
    expect(await handshakeStatus("/await", { token: foreign })).toBe(401);
    const { body } = await api("POST", "/access", { cookie: user.cookie, token: foreign });
    expect(partsOf(body.access_token).c).toBe("18446744073709551615");
    const socket = await openSocket("/await", { token: body.access_token });
    await api("POST", "/access/logout", user);

    expect(await socket.closed).toMatchObject({ code: 1000 });
  });

  it("stay open when its cookie is replaced by a newer one", async () => {
    const stack = await stackWith({ setUserCookieRenewAge: 0 });
    const user = await registeredUser({}, stack);
    const socket = await openSocket("/await", user, stack);
    const { cookie, body } = await stack.publicApi("POST", "/access", user);
    const other = await logIn(user, { apis: stack });
    const leaving = await openSocket("/await", { token: other.body.access_token }, stack);
    await stack.publicApi("POST", "/access/logout", {
      cookie: other.cookie ?? "",
      token: other.body.access_token,
    });
    await leaving.closed;
    socket.send("ping");
    await socket.next((frame) => frame === "pong");
    await stack.publicApi("POST", "/access/logout", { cookie: cookie ?? "", token: body.access_token });

    expect(await socket.closed).toMatchObject({ code: 1000 });
  });

  it("receive the event that reports the end before they close", async () => {
    // The order to close them waits for two seconds, which a busy machine may need for the event.
    const seen: string[][] = [];
    while (seen.length < 5 && !seen.at(-1)?.includes("user.delete")) {
      const user = await newUser();
      const socket = await openSocket("/await", user);
      await internalApi("DELETE", `/i/users/${user.id}`);
      await socket.closed;
      seen.push(socket.frames.map(({ payload }) => payload[0].type));
    }
    expect(seen.at(-1)).toContain("user.delete");
  });

  it("stay open when somebody else's session ends", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const [socket, closing] = [await openSocket("/await", user), await openSocket("/await", other)];
    await api("POST", "/access/logout", other);
    await closing.closed;
    socket.send("ping");

    expect(await socket.first(1)).toEqual(["pong"]);
  });
});

describe.concurrent("the sockets of a removed device", () => {
  it("close, and those of other devices stay open", async () => {
    const user = await newUser();
    const device = newDevice();
    await registerDevice(user, device);
    const socketOf = (client: string) => openSocket("/await", { token: user.token, query: { client } });
    const [own, other] = await Promise.all([socketOf(idOf(device)), socketOf("another")]);
    await api("DELETE", `/clients/${idOf(device)}`, {
      token: user.token,
      json: { password: user.password },
    });
    await own.closed;
    other.send("ping");

    expect(await other.next((frame) => frame === "pong")).toBe("pong");
  });
});

describe.concurrent("with limits and faults", () => {
  let stack: OwnStack;
  let endFaults: () => void;
  /** Faults of attempts to close a socket, by socket id. */
  const faults = new Map<string, Fault>();
  /** Users whose orders are committed but never sent. */
  let isPublisherDying = false;

  beforeAll(async () => {
    stack = await stackWith({
      setUserMaxSockets: 4,
      setDeviceMaxSockets: 2,
      outboxResendSeconds: 1,
      setUserCookieLimit: 3,
      setUserCookieThrottle: { retryAfter: 0 },
    });
    endFaults = injectFaults(({ service, action, path, body }) => {
      if (service === "sockets" && action === "DELETE") {
        const [socketId = ""] = path.split("/").slice(-1);
        return faults.get(decodeURIComponent(socketId));
      }
      // The socket of a relay is closed through its queue or, failing that, through the relay's record.
      const isOrder = action === "SendMessageBatch" || body.includes("ADD toClose");
      const unclosable = [...faults.keys()].find((socketId) => isOrder && body.includes(socketId));
      if (unclosable !== undefined) return faults.get(unclosable);
      if (
        isPublisherDying &&
        service === "sqs" &&
        action === "SendMessage" &&
        body.includes(`${stack.prefix}-socket-closures`) &&
        !body.includes("checkedUserId")
      ) {
        return "dies-before";
      }
      return undefined;
    });
  });
  afterAll(() => endFaults());

  const socketsOf = async ({ id }: Pick<User, "id">) => eventSource(stack).socketsOf({ userId: id });
  const logOut = ({ cookie, token }: Pick<User, "cookie" | "token">, publicApi: Api = stack.publicApi) =>
    publicApi("POST", "/access/logout", { cookie, token });

  it("sockets of a removed device close even while its push tokens cannot be removed", async () => {
    const { publicApi } = stack;
    const user = await newUser(undefined, stack);
    const { body: device } = await registerDevice(user, {}, { publicApi });
    await registerPushToken(user, newPushToken({ client: device.id }), { publicApi });
    const socket = await openSocket("/await", { token: user.token, query: { client: device.id } }, stack);
    const endConflicts = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes('"push-tokens"') && body.includes(user.id)
        ? "conflicts"
        : undefined,
    );
    await publicApi("DELETE", `/clients/${device.id}`, {
      token: user.token,
      json: { password: somePassword },
    });
    await socket.closed.finally(endConflicts);
  });

  it("the oldest sockets of a user close when there are more than the setting allows", async () => {
    const reader = await newReader(stack);
    const sockets = [];
    for (const _ of upTo(4)) sockets.push(await openSocket("/await", reader, stack));
    const [first, second, ...others] = sockets;
    for (const _ of upTo(2)) others.push(await openSocket("/await", reader, stack));
    await Promise.all([first?.closed, second?.closed]);

    for (const socket of others) {
      socket.send("ping");
      expect(await socket.first(1)).toEqual(["pong"]);
    }
  });

  it("the oldest sockets of a device close when there are more than the setting allows", async () => {
    const { token } = await newReader(stack);
    const open = (client: string) => openSocket("/await", { token, query: { client } }, stack);
    const [first, other] = [await open("aa"), await open("bb")];
    const others = [other, await open("aa"), await open("aa")];
    await first.closed;

    for (const socket of others) {
      socket.send("ping");
      expect(await socket.first(1)).toEqual(["pong"]);
    }
  });

  it("limits hold eventually when many sockets open concurrently", async () => {
    const reader = await newReader(stack);
    await Promise.all(upTo(12).map(() => openSocket("/await", reader, stack)));

    await eventually(async () => expect(await eventSource(stack).socketsOf(reader)).toHaveLength(4));
  });

  it("sockets close when their cookie makes room for a new one", async () => {
    const user = await registeredUser({}, stack);
    const socket = await openSocket("/await", user, stack);
    for (const _ of upTo(3)) await logIn(user, { apis: stack });

    expect(await socket.closed).toMatchObject({ code: 1000 });
  });

  it("other sockets close even if one cannot be closed, and that one is closed later", async () => {
    const [stuck, user] = await Promise.all([registeredUser({}, stack), registeredUser({}, stack)]);
    const socket = await openSocket("/await", user, stack);
    const slow = await openSocket("/await", stuck, stack);
    const [slowId = ""] = await socketsOf(stuck);
    const beside = await openSocket("/await", stuck, stack);
    faults.set(slowId, "dies-before");
    await logOut(stuck);
    await logOut(user);
    await Promise.all([socket.closed, beside.closed]);
    await eventually(async () => expect(await socketsOf(stuck)).toEqual([slowId]));
    faults.delete(slowId);

    expect(await slow.closed).toMatchObject({ code: 1000 });
  });

  it("sockets close even when the function that ends their session dies before it sends the order", async () => {
    const user = await registeredUser({}, stack);
    const socket = await openSocket("/await", user, stack);
    isPublisherDying = true;
    await logOut(user);
    isPublisherDying = false;

    expect(await socket.closed).toMatchObject({ code: 1000 });
  });
});
