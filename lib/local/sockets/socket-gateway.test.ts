import { once } from "node:events";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { startGateway } from "../gateway/gateway.ts";
import type { LoggedRequest } from "../gateway/request-log.ts";
import type { Background } from "../timer.ts";
import { startConnectionsApi } from "./connections-api.ts";
import { FrameLog } from "./frame-log.ts";
import { type FrameKind, OpenSockets } from "./open-sockets.ts";
import { PostLog } from "./post-log.ts";
import type { SocketEvent } from "./socket-event.ts";
import { createSocketGateway, type SocketLimits } from "./socket-gateway.ts";

type LogLine = { timestamp: number; message: string };
type Result = { statusCode?: number; body?: unknown } | undefined;

const now = Date.UTC(2026, 1, 5, 7, 8, 9);
const running: Background[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const background of running.splice(0)) await background.stop();
});

/** Gateway, WebSocket API and `@connections` API in front of a function of the test. */
async function start(
  answer: (event: SocketEvent) => Result | Promise<Result> = () => ({ statusCode: 200 }),
  { frames, ...limits }: SocketLimits & { frames?: FrameKind } = {},
) {
  const events: SocketEvent[] = [];
  const requests: LoggedRequest[] = [];
  const batches: LogLine[][] = [];
  const posts = new PostLog();
  const sockets = new OpenSockets((post) => posts.add(post), frames);
  const frameLog = new FrameLog(async ({ awslogs }) => {
    const { logEvents } = JSON.parse(gunzipSync(Buffer.from(awslogs.data, "base64")).toString());
    batches.push(logEvents.map(({ timestamp, message }: LogLine) => ({ timestamp, message })));
  });
  const socketGateway = createSocketGateway({
    sockets,
    functionName: "websocket",
    invoke: async (event) => {
      events.push(event);
      return answer(event);
    },
    frameLog,
    clock: () => now,
    limits,
    onRequest: (request) => requests.push(request),
  });
  const gateway = await startGateway({
    audience: "public",
    families: [],
    port: 0,
    corsAllowedOrigins: [],
    clock: () => now,
    invoke: async () => ({ statusCode: 426 }),
    onUpgrade: socketGateway.upgrade,
  });
  const connectionsApi = await startConnectionsApi(sockets);
  running.push(socketGateway, gateway, connectionsApi, frameLog);
  const client = new ApiGatewayManagementApiClient({
    endpoint: connectionsApi.url,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
  const routesSeen = () => events.map(({ requestContext }) => requestContext.routeKey);
  return { url: gateway.url, events, requests, batches, posts, socketGateway, client, routesSeen };
}

async function openSocket(url: string, path = "/await", options?: ClientOptions): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, options);
  await once(socket, "open");
  return socket;
}

/** Status and body of the response that refuses the handshake. */
async function refusal(url: string, path: string): Promise<{ status: number | undefined; body: string }> {
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}`);
  const [, response] = await once(socket, "unexpected-response");
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

async function nextMessage(socket: WebSocket): Promise<{ text: string; isBinary: boolean }> {
  const [data, isBinary] = await once(socket, "message");
  return { text: data.toString(), isBinary };
}

async function closure(socket: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = await once(socket, "close");
  return { code, reason: reason.toString() };
}

const connectionIdIn = (events: readonly SocketEvent[]) => events[0]?.requestContext.connectionId ?? "";

const post = (client: ApiGatewayManagementApiClient, ConnectionId: string, text: string) =>
  client.send(new PostToConnectionCommand({ ConnectionId, Data: Buffer.from(text) }));

test("$connect receives the handshake as API Gateway passes it on", async () => {
  const { url, events } = await start();
  await openSocket(url, "/v8/events?client=a&client=b&endpoint=await&version=v1", {
    headers: { Authorization: "Bearer t", "User-Agent": "tester" },
  });
  expect(events).toEqual([
    expect.objectContaining({
      headers: expect.objectContaining({ Authorization: "Bearer t", "X-Forwarded-For": "127.0.0.1" }),
      multiValueHeaders: expect.objectContaining({ Authorization: ["Bearer t"] }),
      queryStringParameters: { client: "b", endpoint: "events", version: "v8" },
      multiValueQueryStringParameters: { client: ["a", "b"], endpoint: ["events"], version: ["v8"] },
      requestContext: expect.objectContaining({
        routeKey: "$connect",
        eventType: "CONNECT",
        connectionId: expect.stringMatching(/^[\w-]{15}=$/),
        connectedAt: now,
        requestTimeEpoch: now,
        requestTime: "05/Feb/2026:07:08:09 +0000",
        stage: "live",
        apiId: "sockets",
        domainName: "127.0.0.1",
        identity: { sourceIp: "127.0.0.1", userAgent: "tester" },
      }),
      isBase64Encoded: false,
    }),
  ]);
  expect(Object.keys(events[0]?.headers ?? {})).not.toContain("Upgrade");
});

test("a path without a version passes no version on, even if the query has one", async () => {
  const { url, events } = await start();
  await openSocket(url, "/websocket?version=v3&endpoint=events");
  expect(events[0]?.queryStringParameters).toEqual({ endpoint: "await" });
});

test.for([401, 403, 404, 500, 302])(
  "a %i from $connect refuses the handshake without a body",
  async (statusCode) => {
    const { url, routesSeen, requests } = await start(() => ({ statusCode, body: "secret" }));
    expect(await refusal(url, "/await")).toEqual({ status: statusCode, body: "" });
    expect(routesSeen()).toEqual(["$connect"]);
    expect(requests).toMatchObject([{ api: "sockets", method: "GET", path: "/await", status: statusCode }]);
  },
);

test.for<[string, () => Result]>([
  [
    "throws",
    () => {
      throw new Error("expected by the test");
    },
  ],
  ["returns nothing", () => undefined],
])("a $connect that %s is answered with 502", async ([, answer]) => {
  const report = vi.spyOn(console, "error").mockReturnValue();
  const { url } = await start(answer);
  expect(await refusal(url, "/await")).toEqual({ status: 502, body: "" });
  expect(report).toHaveBeenCalledOnce();
});

test("other paths refuse sockets with 404", async () => {
  const { url, events, requests } = await start();
  for (const path of ["/", "/v8/self", "/await/", "/v8/i/await", "//await"]) {
    expect(await refusal(url, path)).toEqual({ status: 404, body: "" });
  }
  expect(events).toEqual([]);
  expect(requests.map(({ functionName }) => functionName)).toEqual(Array(5).fill(undefined));
});

test("requests that do not ask for a WebSocket are answered by the HTTP API", async () => {
  const { url } = await start();
  expect((await fetch(`${url}/await`)).status).toBe(426);
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.end("GET /self HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 426 /);
});

test("a handshake without a key is refused with 400 before the function is called", async () => {
  const { url, events } = await start();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("GET /await HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
  expect(events).toEqual([]);
});

test("acknowledgements reach the function by their type, as text and as bytes, without an answer", async () => {
  const { url, events, routesSeen } = await start(() => ({ statusCode: 200, body: "unheard" }));
  const socket = await openSocket(url);
  socket.send('{"type":"ack"}');
  socket.send(Buffer.from('{"type":"ack_full_sync"}'));
  socket.send("ping");
  expect(await nextMessage(socket)).toEqual({ text: "pong", isBinary: true });
  expect(routesSeen()).toEqual(["$connect", "ack", "ack_full_sync"]);
  expect(events.slice(1)).toMatchObject([
    { body: '{"type":"ack"}', isBase64Encoded: false, requestContext: { eventType: "MESSAGE" } },
    { body: Buffer.from('{"type":"ack_full_sync"}').toString("base64"), isBase64Encoded: true },
  ]);
  expect(new Set(events.map(({ requestContext }) => requestContext.connectionId)).size).toBe(1);
});

test.for(["ping", "", "null", "[]", "{}", '{"type":"ping"}', '{"type":["ack"]}', '"ack"'])(
  "the frame %s is answered with pong, without calling the function",
  async (text) => {
    const { url, routesSeen, requests } = await start();
    const socket = await openSocket(url);
    socket.send(text);
    expect(await nextMessage(socket)).toEqual({ text: "pong", isBinary: true });
    socket.send(Buffer.from(text));
    expect(await nextMessage(socket)).toEqual({ text: "pong", isBinary: true });
    expect(routesSeen()).toEqual(["$connect"]);
    expect(requests.at(-1)).toMatchObject({ method: "$default", status: 200, functionName: undefined });
  },
);

test("frames are handed over as lines of a log, in batches", async () => {
  const { url, events, batches } = await start(({ body }) => ({
    statusCode: body?.includes("x") ? 500 : 200,
  }));
  const socket = await openSocket(url);
  for (const text of ["ping", '{"type":"ack"}', "{}", '{"type":"ack","data":"x"}']) socket.send(text);
  await expect.poll(() => batches.flat()).toHaveLength(4);
  const id = connectionIdIn(events);
  expect(batches.flat()).toEqual(
    ["$default 200", "ack 200", "$default 200", "ack 500"].map((outcome) => ({
      timestamp: now,
      message: expect.stringMatching(
        new RegExp(`^${id} MESSAGE ${outcome.replace("$", "\\$")} 127.0.0.1 \\S+ -$`),
      ),
    })),
  );
  expect(batches.length).toBeLessThan(4);
});

test("a failing function leads to the answer that API Gateway would give", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const { url, events } = await start(({ requestContext }) => {
    if (requestContext.routeKey === "ack") throw new Error("expected by the test");
    return { statusCode: 200 };
  });
  const socket = await openSocket(url);
  socket.send('{"type":"ack"}');
  const { text } = await nextMessage(socket);
  const { connectionId, requestId } = events[1]?.requestContext ?? {};
  expect(JSON.parse(text)).toEqual({ message: "Internal server error", connectionId, requestId });
});

test("messages of one socket are handled in order, one at a time", async () => {
  const steps: string[] = [];
  const { url, routesSeen } = await start(async ({ body, requestContext }) => {
    if (requestContext.routeKey !== "ack") return { statusCode: 200 };
    const { data } = JSON.parse(body ?? "");
    steps.push(`begin ${data}`);
    await new Promise((resolve) => setTimeout(resolve, data === 1 ? 30 : 0));
    steps.push(`end ${data}`);
    return { statusCode: 200 };
  });
  const socket = await openSocket(url);
  for (const data of [1, 2, 3]) socket.send(JSON.stringify({ type: "ack", data }));
  socket.close();
  await expect.poll(routesSeen).toEqual(["$connect", "ack", "ack", "ack", "$disconnect"]);
  expect(steps).toEqual(["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
});

test.for<[string, (socket: WebSocket) => void, number, string]>([
  ["with a code", (socket) => socket.close(4001, "bye"), 4001, "bye"],
  ["without a code", (socket) => socket.close(), 1005, ""],
  ["without a close frame", (socket) => socket.terminate(), 1006, "Connection closed abnormally"],
])("$disconnect reports how a client closed its socket %s", async ([, leave, code, reason]) => {
  const { url, events, routesSeen } = await start();
  leave(await openSocket(url));
  await expect.poll(routesSeen).toEqual(["$connect", "$disconnect"]);
  expect(events[1]?.requestContext).toMatchObject({
    eventType: "DISCONNECT",
    disconnectStatusCode: code,
    disconnectReason: reason,
  });
});

test("a client that disconnects before $connect has answered is followed by $disconnect", async () => {
  let release = () => {};
  const { url, routesSeen } = await start(
    () =>
      new Promise((resolve) => {
        release = () => resolve({ statusCode: 200 });
      }),
  );
  const socket = new WebSocket(`${url.replace("http", "ws")}/await`);
  socket.on("error", () => {});
  await expect.poll(routesSeen).toEqual(["$connect"]);
  socket.terminate();
  release();
  await expect.poll(routesSeen).toEqual(["$connect", "$disconnect"]);
  release();
});

test("a handshake that fails after $connect is followed by $disconnect", async () => {
  const { url, routesSeen } = await start();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(
    "GET /await HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: a,,b\r\n\r\n",
  );
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
  await expect.poll(routesSeen).toEqual(["$connect", "$disconnect"]);
});

test("answers and posts arrive as text if clients expect text", async () => {
  const { url, client, events } = await start(() => ({ statusCode: 200, body: "pong" }), { frames: "text" });
  const socket = await openSocket(url);
  socket.send("ping");
  expect(await nextMessage(socket)).toEqual({ text: "pong", isBinary: false });
  const received = nextMessage(socket);
  await post(client, connectionIdIn(events), "posted");
  expect(await received).toEqual({ text: "posted", isBinary: false });
});

test("a posted message arrives as a binary frame and is listed in the console", async () => {
  const { url, client, events, posts } = await start();
  const userId = "0190a5b8-7f6e-4d43-8a51-3c2a9be0d1f4";
  const token = `${"s".repeat(88)}.v=1.k=1.d=1800000000.t=a.l=.u=${userId}.c=7`;
  const socket = await openSocket(url, `/v8/await?access_token=${token}`);
  const text = JSON.stringify({ id: "1", payload: [{ type: "user.activate", ü: 1 }] });
  const received = nextMessage(socket);
  await post(client, connectionIdIn(events), text);
  expect(await received).toEqual({ text, isBinary: true });
  expect(posts.list()).toMatchObject([
    { connectionId: connectionIdIn(events), path: "/v8/await", userId, types: ["user.activate"], text },
  ]);
});

test("a socket can be inspected and closed, and is gone afterwards", async () => {
  const { url, client, events, routesSeen } = await start();
  const socket = await openSocket(url, "/await", { headers: { "User-Agent": "tester" } });
  const ConnectionId = connectionIdIn(events);
  expect(await client.send(new GetConnectionCommand({ ConnectionId }))).toMatchObject({
    ConnectedAt: new Date(now),
    LastActiveAt: new Date(now),
    Identity: { SourceIp: "127.0.0.1", UserAgent: "tester" },
  });
  const closed = closure(socket);
  await client.send(new DeleteConnectionCommand({ ConnectionId }));
  await expect(post(client, ConnectionId, "x")).rejects.toBeInstanceOf(GoneException);
  expect(await closed).toMatchObject({ code: 1000 });
  await expect.poll(routesSeen).toEqual(["$connect", "$disconnect"]);
  for (const command of [
    new GetConnectionCommand({ ConnectionId }),
    new DeleteConnectionCommand({ ConnectionId }),
  ]) {
    await expect(client.send(command as GetConnectionCommand)).rejects.toBeInstanceOf(GoneException);
  }
});

test("a post to a socket fails until $connect has answered", async () => {
  const outcomes: unknown[] = [];
  const { url, client, events } = await start(async ({ requestContext }) => {
    outcomes.push(await post(client, requestContext.connectionId, "early").catch((error) => error));
    return { statusCode: 200 };
  });
  await openSocket(url);
  expect(outcomes).toEqual([expect.any(GoneException)]);
  await post(client, connectionIdIn(events), "in time");
});

test("a post may have up to 128 KB", async () => {
  const { url, client, events } = await start();
  const socket = await openSocket(url);
  const received = nextMessage(socket);
  await post(client, connectionIdIn(events), "x".repeat(128 * 1024));
  expect((await received).text).toHaveLength(128 * 1024);
  const tooLarge = post(client, connectionIdIn(events), "x".repeat(128 * 1024 + 1));
  await expect(tooLarge).rejects.toBeInstanceOf(PayloadTooLargeException);
});

test("a message of more than 128 KB closes the socket", async () => {
  const { url } = await start();
  const socket = await openSocket(url);
  const closed = closure(socket);
  socket.send("x".repeat(128 * 1024 + 1));
  expect(await closed).toMatchObject({ code: 1009 });
});

test("a message may consist of several fragments, up to a limit", async () => {
  const { url } = await start(() => ({ statusCode: 200 }));
  const socket = await openSocket(url);
  const answered = nextMessage(socket);
  for (let count = 1; count < 100; count++) socket.send("x", { fin: false });
  socket.send("x");
  await answered;
  const closed = closure(socket);
  for (let count = 1; count < 200; count++) socket.send("x", { fin: false });
  expect(await closed).toMatchObject({ code: 1008 });
});

test("protocol pings are answered", async () => {
  const { url } = await start();
  const socket = await openSocket(url);
  socket.ping("are you there");
  const [data] = await once(socket, "pong");
  expect(String(data)).toBe("are you there");
});

test("an idle socket is closed, while pings and posts keep one open", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { url, client, events } = await start(undefined, { idleSeconds: 60 });
  const socket = await openSocket(url);
  let isClosed = false;
  const closed = closure(socket).finally(() => (isClosed = true));
  const ping = async () => {
    socket.ping();
    await once(socket, "pong");
  };
  for (const keepOpen of [ping, () => post(client, connectionIdIn(events), "x")])
    for (let count = 0; count < 3; count++) {
      vi.advanceTimersByTime(59_000);
      await keepOpen();
    }
  expect([socket.readyState, isClosed]).toEqual([WebSocket.OPEN, false]);
  vi.advanceTimersByTime(60_000);
  expect(await closed).toEqual({ code: 1001, reason: "Going away" });
});

test("a socket is closed at the end of its lifetime", async () => {
  const { url } = await start(undefined, { lifetimeSeconds: 0.15 });
  const socket = await openSocket(url);
  const pings = setInterval(() => socket.ping(), 20);
  expect(await closure(socket)).toEqual({ code: 1001, reason: "Going away" });
  clearInterval(pings);
});

test("stopping closes all sockets, even unresponsive ones, and waits for $disconnect", async () => {
  const { url, routesSeen, socketGateway } = await start();
  const polite = await openSocket(url);
  const silent = await openSocket(url);
  silent.pause();
  const closed = closure(polite);
  await socketGateway.stop();
  expect(await closed).toEqual({ code: 1001, reason: "Going away" });
  expect(routesSeen()).toEqual(["$connect", "$connect", "$disconnect", "$disconnect"]);
  expect(await refusal(url, "/await")).toMatchObject({ status: 503 });
});

test("each of two stacks knows only its own sockets", async () => {
  const [one, other] = await Promise.all([start(), start()]);
  await openSocket(one.url);
  await expect(post(other.client, connectionIdIn(one.events), "x")).rejects.toBeInstanceOf(GoneException);
});

test("every call of the function and every ping is logged, without the query", async () => {
  const { url, requests } = await start();
  const socket = await openSocket(url, "/v8/await?access_token=secret");
  socket.send("ping");
  socket.close();
  await expect.poll(() => requests).toHaveLength(3);
  expect(requests.map(({ method, path, status }) => [method, path, status])).toEqual([
    ["GET", "/v8/await", 101],
    ["$default", "/v8/await", 200],
    ["$disconnect", "/v8/await", 200],
  ]);
});
