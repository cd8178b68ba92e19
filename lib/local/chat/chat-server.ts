import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { newIdentity } from "../../../examples/echo-bot/certificate.ts";
import { bundleForBrowser } from "../browser-bundle.ts";
import type { MessageStore } from "../emulators/message-store.ts";
import { type LocalServer, listen } from "../gateway/http-server.ts";
import { isLocalHost, namesServer } from "../gateway/local-caller.ts";
import { readBody } from "../gateway/read-body.ts";
import { loopback } from "../network-host.ts";
import { seedPassword } from "../seed/seed-team.ts";

/** A person whose window can be opened with a click. */
export interface ChatPerson {
  readonly name: string;
  readonly email: string;
}

export interface ChatOptions {
  readonly publicUrl: string;
  readonly consoleUrl: string;
  /** The mails sent to people, since registration needs the code in one. */
  readonly messages: MessageStore;
  /** People who already have accounts; by default, two who register when their windows open. */
  readonly people?: (() => readonly ChatPerson[]) | undefined;
  /** Another address of this machine for the chat: over TLS, because browsers encrypt nothing without it. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** The chat, at one or two addresses. */
export interface ChatServer extends LocalServer {
  /** Address for other machines. */
  readonly networkUrl: string | undefined;
}

const folder = new URL("../../../examples/chat/", import.meta.url);
/** Accounts of this domain belong to the demonstration: everybody may read their mails. */
const demoDomain = "chat.example";
const newcomers: readonly ChatPerson[] = [
  { name: "Ada", email: `ada@${demoDomain}` },
  { name: "Ben", email: `ben@${demoDomain}` },
];

const windowPath = /^\/people\/[\w.-]+@[\w.-]+$/;
const apiPath = /^(\/people\/[\w.-]+@[\w.-]+\/api)(\/.*)$/;
const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"]);
const passedHeaders = ["authorization", "content-type", "asset-token", "cookie"] as const;
const answeredHeaders = ["content-type", "x-request-id"] as const;
const bodyLimit = 10 * 1024 * 1024;
const timeoutMilliseconds = 60_000;

/**
 * Serve the example of a client (`examples/chat`). Requests of a person's window to `/people/<email>/api` are passed
 * unchanged to the public API; only the path of the session's cookie changes, so that one browser can be several
 * people.
 *
 * @throws SetupError when the port is taken
 */
export async function startChat({
  publicUrl,
  consoleUrl,
  messages,
  people = () => [],
  host = loopback,
  port,
}: ChatOptions): Promise<ChatServer> {
  const socketOrigin = (server: string) => `${server.replace(/^http/, "ws")}`;
  let networkUrl: string | undefined;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("cache-control", "no-store");
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("referrer-policy", "no-referrer");
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const isPage = request.method === "GET" && (pathname === "/" || windowPath.test(pathname));
    if (!isAllowed(request, isPage)) return send(response, "text/plain", "Only pages of this chat", 403);
    if (isPage) {
      response.setHeader("content-security-policy", policy(request));
      return send(response, "text/html", page("index.html"));
    }
    if (apiPath.test(request.url ?? "")) return passOn(publicUrl, request, response);
    switch (`${request.method} ${pathname}`) {
      case "GET /main.js":
        return send(response, "text/javascript", await bundleForBrowser(new URL("main.ts", folder)));
      case "GET /chat.css":
        return send(response, "text/css", page("chat.css"));
      case "GET /setup.json": {
        const seeded = people();
        const setup = {
          people: seeded.length > 0 ? seeded : newcomers,
          password: seedPassword,
          networkUrl,
          ...(isLocalHost(request.headers) && { consoleUrl }),
        };
        return send(response, "application/json", JSON.stringify(setup));
      }
      case "GET /code": {
        const code = await codeSentTo(messages, searchParams.get("email") ?? "");
        return send(response, "text/plain", code ?? "No code was sent", code === undefined ? 404 : 200);
      }
      default:
        return send(response, "text/plain", "Page not found", 404);
    }
  }

  const policy = ({ headers, socket }: IncomingMessage) =>
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; " +
    `connect-src 'self' ${socketOrigin("encrypted" in socket ? "https" : "http")}://${headers.host}; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error) => {
      if (!request.destroyed || request.complete) console.error(error);
      if (response.headersSent) response.destroy();
      else send(response, "text/plain", "Something failed; the terminal says what", 502);
    });
  };
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isAllowed(request, false)) passSocketOn(publicUrl, request, socket, head);
    else socket.destroy();
  };
  const local = await listen(listener, port, upgrade);
  const servers = [local];
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  if (host !== loopback) {
    const { privateKey: key, certificate: cert } = newIdentity({ name: host });
    try {
      const network = await listen(listener, port, upgrade, host, { key, cert });
      servers.push(network);
      networkUrl = network.url;
    } catch (error) {
      await stop();
      throw error;
    }
  }
  return { url: local.url, networkUrl, stop };
}

/** Whether a page of this server has sent the request; a page may also be opened by a link anywhere. */
function isAllowed({ headers, socket }: IncomingMessage, isPage: boolean): boolean {
  if (!isLocalHost(headers) && !namesServer(headers, socket)) return false;
  const { host = "", origin, "sec-fetch-site": site = "none", "sec-fetch-dest": destination } = headers;
  if (isPage && destination === "document") return true;
  const isOwnOrigin =
    origin === undefined || origin === `${"encrypted" in socket ? "https" : "http"}://${host}`;
  return isOwnOrigin && (site === "none" || site === "same-origin");
}

/** Read at each request, so that an edit needs no restart. */
const page = (file: string) => readFileSync(new URL(file, folder), "utf8");

function send(response: ServerResponse, type: string, body: string, status = 200): void {
  response.writeHead(status, { "content-type": `${type};charset=utf-8` }).end(body);
}

async function passOn(publicUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, base = "", target = ""] = apiPath.exec(request.url ?? "") ?? [];
  const { method = "" } = request;
  const body = await readBody(request, bodyLimit);
  if (body === undefined || !methods.has(method))
    return send(response, "text/plain", "Not possible here", body === undefined ? 413 : 405);
  const headers = new Headers();
  for (const name of passedHeaders) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, String(value));
  }
  const answer = await fetch(publicUrl + target, {
    method,
    headers,
    ...(body.length > 0 && method !== "GET" && { body: new Uint8Array(body) }),
    // Files are at another address without TLS, from which a page with TLS could not load them.
    redirect: method === "GET" ? "follow" : "manual",
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  for (const name of answeredHeaders) {
    const value = answer.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  const cookies = answer.headers.getSetCookie().map((cookie) => cookieBelow(base, cookie));
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
}

/**
 * A cookie that the browser only sends below the base; without `Secure`, which not every browser accepts from this
 * machine.
 */
const cookieBelow = (base: string, cookie: string) =>
  cookie.replace(/; *Secure(?=;|$)/i, "").replace(/(; *Path=)\/?/i, `$1${base}/`);

/** Repeat the handshake at the API, then pass bytes in both directions. */
function passSocketOn(publicUrl: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const [, , target] = apiPath.exec(request.url ?? "") ?? [];
  if (target === undefined) return void socket.destroy();
  const { hostname, port } = new URL(publicUrl);
  const { origin, cookie, ...headers } = request.headers;
  const lines = Object.entries({ ...headers, host: `${hostname}:${port}` }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const upstream = connect(Number(port), hostname, () => {
    upstream.write(`GET ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  const end = () => {
    upstream.destroy();
    socket.destroy();
  };
  for (const side of [upstream, socket]) side.on("error", end).on("close", end);
}

const codeWaitMilliseconds = 20_000;

/** Resolves with the code in the latest mail to an address of the demonstration, once it has arrived. */
async function codeSentTo(messages: MessageStore, email: string): Promise<string | undefined> {
  if (!email.endsWith(`@${demoDomain}`)) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  const find = () => {
    const [mail] = messages.list({ to: email });
    return Object.entries(mail?.headers ?? {}).find(([name]) => /^x-.+-code$/i.test(name))?.[1];
  };
  const unsubscribe = messages.subscribe(() => find() !== undefined && resolve());
  const timer = setTimeout(resolve, codeWaitMilliseconds);
  if (find() !== undefined) resolve();
  await promise;
  unsubscribe();
  clearTimeout(timer);
  return find();
}
