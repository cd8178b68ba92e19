import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Api, api } from "../../support/api.ts";
import { eventSource, newReader, numbersIn, numbersListed, type Reader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { ownStack } from "../../support/own-stack.ts";
import { handshakeStatus, openSocket } from "../../support/socket.ts";
import { socketMode } from "../../support/socket-mode.ts";
import { botsToken, providersToken, signedToken } from "../../support/tokens.ts";
import { activate, activationCode, newEmail, newUser, register } from "../../support/users.ts";

const events = eventSource();

const listed = async ({ token }: Pick<Reader, "token">, publicApi: Api = api) =>
  numbersListed(await publicApi("GET", "/notifications", { token }));

describe.concurrent("activation", () => {
  it("sends user.activate to the user's open sockets, and stores it", async () => {
    const email = newEmail();
    const { body: registered, cookie } = await register({ email });
    const { email_unvalidated: _, ...self } = registered;
    const { body: access } = await api("POST", "/access", { cookie });
    const token = access.access_token;
    const socket = await openSocket("/await", { token });
    await activate({ email });
    const [frame] = await socket.first(1);

    const payload = [{ type: "user.activate", user: { ...self, email } }];
    expect(frame).toEqual({ id: expect.any(String), transient: false, payload });
    const { body } = await api("GET", "/notifications", { token });
    expect(body.notifications).toEqual([{ id: frame.id, payload }]);
  });

  it("stores user.activate for an offline device when the registration includes the code", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { code } = await activationCode({ email });
    const { body: self, cookie } = await register({ email, email_code: code });
    const { body: access } = await api("POST", "/access", { cookie });
    const { body } = await eventually(async () => {
      const answer = await api("GET", "/notifications/last", { token: access.access_token });
      expect(answer.status).toBe(200);
      return answer;
    });
    expect(body.payload).toEqual([{ type: "user.activate", user: self }]);
  });
});

describe.concurrent("a socket on /await", () => {
  it("receives what is published to its user, stored or not, in the order of the sender", async () => {
    const reader = await newReader();
    const socket = await openSocket("/await", reader);
    const sender = randomUUID();
    const isTransient = (number: number) => number % 3 === 0;
    await events.publish(
      ...upTo(20).map((number) => ({ number, to: [reader], sender, isTransient: isTransient(number) })),
    );
    const frames = await socket.first(20);

    expect(numbersIn(frames)).toEqual(upTo(20));
    expect(frames.map(({ transient }) => transient)).toEqual(upTo(20).map(isTransient));
    expect(await listed(reader)).toEqual(upTo(20).filter((number) => !isTransient(number)));
  });

  it("receives no events that its own connection caused, but finds them in the notifications", async () => {
    const reader = await newReader();
    const { userId, connectionId } = reader;
    const other = await signedToken({ userId, connectionId: "another" });
    const acting = await openSocket("/await", reader);
    const watching = await openSocket("/await", { token: other });
    const sender = userId;
    await events.publish({ number: 1, to: [reader], sender, origin: { userId, connectionId } });
    await events.publish({ number: 2, to: [reader], sender });
    await acting.first(1);
    await watching.first(2);

    expect(numbersIn(acting.frames)).toEqual([2]);
    expect(numbersIn(watching.frames)).toEqual([1, 2]);
    expect(await listed(reader)).toEqual([1, 2]);
  });

  it("receives events that another user caused with the same connection id", async () => {
    const reader = await newReader();
    const { connectionId } = reader;
    const socket = await openSocket("/await", reader);
    await events.publish({ number: 1, to: [reader], origin: { userId: randomUUID(), connectionId } });

    expect(numbersIn(await socket.first(1))).toEqual([1]);
  });

  it("receives everything, as do other sockets of its user and device", async () => {
    const reader = await newReader();
    const paths = ["/await", "/v8/await", "/websocket", "/await?client=aa", "/await?client=aa"];
    const sockets = await Promise.all(paths.map((path) => openSocket(path, reader)));
    await events.publish({ number: 1, to: [reader] });

    for (const socket of sockets) expect(numbersIn(await socket.first(1))).toEqual([1]);
  });

  it("receives events for its device and for all devices, or all events without a device", async () => {
    const reader = await newReader();
    const { userId } = reader;
    const [one, other, all] = await Promise.all(
      ["/await?client=aa", "/await?client=bb", "/await"].map((path) => openSocket(path, reader)),
    );
    const sender = randomUUID();
    await events.publish(
      { number: 1, to: [{ userId, clientIds: ["aa"] }], sender },
      { number: 2, to: [{ userId, clientIds: ["bb", "cc"] }], sender },
      { number: 3, to: [{ userId }], sender },
    );
    await Promise.all([one?.first(2), other?.first(2), all?.first(3)]);

    expect(numbersIn(one?.frames ?? [])).toEqual([1, 3]);
    expect(numbersIn(other?.frames ?? [])).toEqual([2, 3]);
    expect(numbersIn(all?.frames ?? [])).toEqual([1, 2, 3]);
  });

  it("receives nothing for other users, and nothing published earlier", async () => {
    const [reader, other] = [await newReader(), await newReader()];
    const sender = randomUUID();
    // Once this socket has the first event, it is posted to no further socket.
    const earlier = await openSocket("/await", reader);
    await events.publish({ number: 1, to: [reader], sender });
    await earlier.first(1);
    const socket = await openSocket("/await", reader);
    await events.publish({ number: 2, to: [other], sender }, { number: 3, to: [reader], sender });
    await socket.first(1);

    expect(numbersIn(socket.frames)).toEqual([3]);
  });

  it("answers ping with pong, as text and as bytes", async () => {
    const socket = await openSocket("/await", await newReader());
    socket.send("ping");
    socket.send(Buffer.from("ping"));

    expect(await socket.first(2)).toEqual(["pong", "pong"]);
  });

  it("treats other frames as pings behind API Gateway, and ignores them on a relay", async () => {
    const socket = await openSocket("/await", await newReader());
    socket.send("nonsense");
    socket.send({ type: "event" });
    socket.send("ping");
    const pongs = upTo(socketMode() === "gateway" ? 3 : 1).map(() => "pong");

    expect(await socket.first(pongs.length)).toEqual(pongs);
  });

  it("ignores acknowledgements", async () => {
    const socket = await openSocket("/await", await newReader());
    socket.send({ type: "ack", data: { delivery_tag: 1 } });
    socket.send({ type: "ack_full_sync" });
    socket.send("ping");

    expect(await socket.first(1)).toEqual(["pong"]);
  });

  it("closes when an event is too large for it, so that its client reads the event from the notifications", async () => {
    const reader = await newReader();
    const [socket, other] = [await openSocket("/await", reader), await openSocket("/await", reader)];
    const sender = randomUUID();
    // A relay sends frames of up to 1 MB.
    const padding = socketMode() === "gateway" ? 130 * 1024 : 1_100_000;
    await events.publish({ number: 1, to: [reader], sender, padding: 127 * 1024 });
    await events.publish({ number: 2, to: [reader], sender, padding });
    for (const { closed } of [socket, other]) expect(await closed).toMatchObject({ code: 1000 });

    expect(numbersIn(socket.frames)).toEqual([1]);
    expect(await listed(reader)).toEqual([1, 2]);
    const later = await openSocket("/await", reader);
    await events.publish({ number: 3, to: [reader], sender });
    await later.first(1);
    expect(numbersIn(later.frames)).toEqual([3]);
  });

  it("receives an event of 200 KB where a relay holds it", async () => {
    const reader = await newReader();
    const socket = await openSocket("/await", reader);
    await events.publish({ number: 1, to: [reader], padding: 200 * 1024 });
    if (socketMode() === "gateway") await socket.closed;
    else await socket.first(1);

    expect(numbersIn(socket.frames)).toEqual(socketMode() === "gateway" ? [] : [1]);
    expect(await listed(reader)).toEqual([1]);
  });

  it("stays open when an event that nobody could read later is too large for it", async () => {
    const reader = await newReader();
    const socket = await openSocket("/await", reader);
    const sender = randomUUID();
    await events.publish({ number: 1, to: [reader], sender, padding: 1_100_000, isTransient: true });
    await events.publish({ number: 2, to: [reader], sender });
    await socket.first(1);

    expect(numbersIn(socket.frames)).toEqual([2]);
  });

  it("receives everything from some point on when it opens amid a stream of events", async () => {
    const reader = await newReader();
    const sender = randomUUID();
    const watching = await openSocket("/await", reader);
    let isPublishing = true;
    let published = 0;
    const publishing = (async () => {
      while (isPublishing) {
        await events.publish({ number: ++published, to: [reader], sender });
        await watching.first(published);
      }
    })();
    const sockets = await Promise.all(upTo(5).map(() => openSocket("/await", reader)));
    for (const socket of sockets) await socket.first(2);
    isPublishing = false;
    await publishing;

    for (const socket of sockets) {
      await socket.next(({ payload }) => payload[0].number === published);
      const [first = 0, ...others] = numbersIn(socket.frames);
      expect(others).toEqual(upTo(published).filter((number) => number > first));
    }
  });

  it("is forgotten after a failed post only if it should have been open by then", async () => {
    const stack = await ownStack();
    const source = eventSource(stack);
    const reader = await newReader(stack);
    const opening = { socketId: "opening", endpoint: "await", userId: reader.userId } as const;
    await source.sockets.open({ ...opening, openedAt: stack.clock() });
    const socket = await openSocket("/await", reader, stack);
    await source.publish({ number: 1, to: [reader] });
    await socket.first(1);
    expect(await source.socketsOf(reader)).toContain("opening");

    stack.advance(60);
    await source.publish({ number: 2, to: [reader] });
    await eventually(async () => expect(await source.socketsOf(reader)).toHaveLength(1));
    expect(numbersIn(await socket.first(2))).toEqual([1, 2]);
  });

  it("is forgotten when it is closed or vanishes, without affecting others", async () => {
    const reader = await newReader();
    const [closed, vanished, last] = await Promise.all(upTo(3).map(() => openSocket("/await", reader)));
    expect(await events.socketsOf(reader)).toHaveLength(3);
    await closed?.close();
    await vanished?.terminate();
    await events.publish({ number: 1, to: [reader] });

    expect(numbersIn((await last?.first(1)) ?? [])).toEqual([1]);
    await eventually(async () => expect(await events.socketsOf(reader)).toHaveLength(1));
  });
});

describe.concurrent("a handshake", () => {
  const paths = ["/await", "/v8/await", "/events", "/v8/events"];

  it.each(paths)("on %s accepts the token in the header or in the query", async (path) => {
    const { token } = await newReader();
    expect(await handshakeStatus(path, { token })).toBe(101);
    expect(await handshakeStatus(path, { query: { access_token: token } })).toBe(101);
    expect(await handshakeStatus(path, { token, query: { access_token: "nonsense" } })).toBe(101);
  });

  it.each(paths)(
    "on %s returns 401 without a valid token, and 403 for a token of another kind",
    async (path) => {
      const { userId, token } = await newReader();
      const { cookie } = await newUser();
      const [signature = "", ...content] = token.split(".");
      const forged = [signature.replace(/^./, (first) => (first === "A" ? "B" : "A")), ...content].join(".");
      const expired = await signedToken({ userId, expiresAtSeconds: Math.floor(Date.now() / 1000) - 1 });

      const [providerToken, botToken] = await Promise.all([providersToken(), botsToken()]);
      expect(await handshakeStatus(path)).toBe(401);
      for (const [bad, status] of [
        [forged, 401],
        [expired, 401],
        ["nonsense", 401],
        [cookie, 403],
        [providerToken, 403],
        [botToken, 403],
      ] as const) {
        expect(await handshakeStatus(path, { token: bad })).toBe(status);
        expect(await handshakeStatus(path, { query: { access_token: bad } })).toBe(status);
      }
      expect(await handshakeStatus(path, { headers: { cookie: `zuid=${cookie}` } })).toBe(401);
      expect(await handshakeStatus(path, { headers: { "z-user": userId } })).toBe(401);
    },
  );

  it("returns 404 under an unknown version, or one without the endpoint", async () => {
    const { token } = await newReader();
    const served = ["/v0/await", "/v7/await", "/v9/await", "/v9/events", "/v9/websocket"];
    for (const path of served) expect(await handshakeStatus(path, { token })).toBe(101);
    const missing = [
      "/v7/events",
      "/v0/events",
      "/v99/await",
      "/v08/events",
      "/vx/await",
      "/self",
      "/",
      "/await/",
    ];
    for (const path of missing) expect(await handshakeStatus(path, { token })).toBe(404);
  });

  it("returns 404 under a disabled version", async () => {
    const stack = await ownStack({ setDisabledAPIVersions: [8] });
    const { token } = await newReader(stack);
    expect(await handshakeStatus("/v8/await", { token }, stack)).toBe(404);
    expect(await handshakeStatus("/v8/events", { token }, stack)).toBe(404);
    expect(await handshakeStatus("/v7/await", { token }, stack)).toBe(101);
  });

  it("ignores endpoint and version in the query", async () => {
    const { token } = await newReader();
    const query = { endpoint: "await", version: "v9" };
    expect(await handshakeStatus("/v7/events", { token, query })).toBe(404);
  });
});

describe.concurrent("a plain request", () => {
  it.each(["/await", "/v8/await", "/events", "/v9/events"])("returns 426 on %s", async (path) => {
    const answer = await api("GET", path);
    expect(answer.status).toBe(426);
    expect(answer.headers.get("upgrade")).toBe("websocket");
  });

  it("returns 404 no-endpoint on /v7/events", async () => {
    expect((await api("GET", "/v7/events")).body.label).toBe("no-endpoint");
  });
});
