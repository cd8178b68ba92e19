import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { bundleForBrowser } from "../browser-bundle.ts";
import type { Emulators } from "../emulators/emulators.ts";
import type { MessageStore } from "../emulators/message-store.ts";
import { type LocalServer, listen } from "../gateway/http-server.ts";
import { isLocalHost, isOfAnotherSite } from "../gateway/local-caller.ts";
import { type LoggedRequest, RequestLog } from "../gateway/request-log.ts";
import { PostLog, type SocketPost } from "../sockets/post-log.ts";
import type { LocalStack } from "../stack.ts";
import { type DataSource, dataPages, thingPages } from "./data/data-pages.ts";
import { consoleAgent } from "./data/internal-api.ts";
import type { DataAccess } from "./data-access.ts";
import { canBeRepeated, describeRequest, summarise } from "./requests/describe-request.ts";
import { repeatRequest } from "./requests/repeat-request.ts";
import { TraceLog } from "./requests/trace-log.ts";

export interface ConsoleOptions {
  readonly emulators: Pick<Emulators, "environment" | "messages">;
  readonly stack: Pick<LocalStack, "publicUrl"> & DataSource;
  /** Requests to show; by default, there are none. */
  readonly requests?: RequestLog;
  /** Traces of the functions' work for them; by default, there are none. */
  readonly traces?: TraceLog;
  /** Frames that were posted to sockets; by default, there are none. */
  readonly posts?: PostLog;
  /** Address of the chat, once it runs. */
  readonly chatUrl?: () => string | undefined;
  /** 0 for any free port. */
  readonly port: number;
}

type Answer = (response: ServerResponse, url: URL) => unknown;

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** An email may have any style, but runs nothing, loads nothing, and opens its links elsewhere. */
const mailPolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; " +
  "img-src data:; frame-ancestors 'self'";

const mailPath = /^GET \/messages\/([^/]+)\/html$/;
const postPath = /^GET \/posts\/([^/]+)$/;
const requestPath = /^GET \/requests\/([^/]+)$/;
const repeatPath = /^POST \/requests\/([^/]+)\/repeat$/;
const dataPath = /^GET \/data\/([^/]+)$/;
const thingPath = /^GET \/data\/([^/]+)\/([^/]+)$/;

/**
 * Start the dev console: a page with sent messages, events posted to sockets and the latest requests, all of it also as
 * JSON. `GET /messages?to=` lists messages to an address or number, newest first; with `wait`, it answers as soon as
 * there is one, or after that many seconds. `DELETE /messages` removes all. `GET /data-access` tells how commands reach
 * tables and buckets.
 *
 * @throws SetupError when the port is taken
 */
export async function startConsole({
  emulators: { environment, messages },
  stack,
  requests = new RequestLog(),
  traces = new TraceLog(),
  posts = new PostLog(),
  chatUrl = () => undefined,
  port,
}: ConsoleOptions): Promise<LocalServer> {
  const streams = new Set<ServerResponse>();
  const publish = (event: string, data: unknown) => {
    for (const stream of streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const subscriptions = [
    messages.subscribe((message) => publish(message ? "message" : "cleared", message ?? null)),
    requests.subscribe((request) => {
      if (!isOwn(request)) publish("request", summarise(request));
    }),
    posts.subscribe((post) => publish("post", summaryOf(post))),
  ];

  const page =
    (file: string): Answer =>
    (response) => {
      response.setHeader("content-security-policy", pagePolicy);
      send(response, "text/html", readPageFile(file));
    };
  const answers: Readonly<Record<string, Answer>> = {
    "GET /": page("index.html"),
    "GET /console.css": (response) => send(response, "text/css", readPageFile("console.css")),
    "GET /console.js": script("console.ts"),
    "GET /addresses": (response) =>
      sendJson(response, { publicUrl: stack.publicUrl, internalUrl: stack.internalUrl, chatUrl: chatUrl() }),
    "GET /data-access": (response) => {
      const { publicUrl } = stack;
      const access: DataAccess = { environment, prefix: stack.prefix, publicUrl, settings: stack.settings };
      sendJson(response, access);
    },
    "GET /requests": (response) =>
      sendJson(
        response,
        requests
          .list()
          .filter((request) => !isOwn(request))
          .map(summarise),
      ),
    "GET /posts": (response) => sendJson(response, posts.list().map(summaryOf)),
    "GET /messages": (response, url) => sendMessages(response, url, messages),
    "DELETE /messages": (response) => {
      messages.clear();
      response.writeHead(204).end();
    },
    "GET /events": (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      streams.add(response);
      response.on("close", () => streams.delete(response));
    },
  };

  const tables = dataPages(stack);
  const things = thingPages(stack);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: target = "/" } = request;
    response.setHeader("cache-control", "no-store");
    response.setHeader("x-content-type-options", "nosniff");
    const url = URL.parse(target, "http://localhost");
    const refusal = refusalOf(request, url?.pathname);
    if (refusal !== undefined) return sendText(response, 403, refusal);
    const called = `${method} ${url?.pathname}`;
    const found = answers[called];
    if (url !== null && found !== undefined) return void (await found(response, url));
    if (url !== null && (await answerOne(called, response, url))) return;
    sendText(response, 404, "Page not found");
  }

  /** Answer for one message, post, request or table. @returns false if there is none */
  async function answerOne(called: string, response: ServerResponse, url: URL): Promise<boolean> {
    const idIn = (path: RegExp) => path.exec(called)?.[1] ?? "";
    const mail = messages.get(idIn(mailPath))?.html;
    const post = posts.get(idIn(postPath));
    const request = requests.get(idIn(requestPath));
    const repeated = requests.get(idIn(repeatPath));
    const name = idIn(dataPath);
    const start = url.searchParams.get("start") ?? undefined;
    const [, kind = "", id = ""] = thingPath.exec(called) ?? [];
    const thing = Object.hasOwn(things, kind) ? await things[kind]?.(decodeURIComponent(id)) : undefined;
    const table = Object.hasOwn(tables, name) ? await tables[name]?.(start) : thing;
    if (mail !== undefined) sendMail(response, mail);
    else if (post !== undefined) send(response, "application/json", post.text);
    else if (request !== undefined) sendJson(response, describeRequest(request, traces.get(request.id)));
    else if (repeated !== undefined && canBeRepeated(repeated))
      sendJson(response, await repeatRequest(stack, repeated));
    else if (table !== undefined) sendJson(response, table);
    else return false;
    return true;
  }

  const server = await listen((request, response) => {
    answer(request, response).catch((error) => {
      // Requests of a page that was closed need no answer.
      if (!request.destroyed || request.complete) console.error(error);
      if (response.headersSent) response.destroy();
      else sendText(response, 502, "Something failed; the terminal says what");
    });
  }, port);

  return {
    url: server.url,
    async stop() {
      for (const unsubscribe of subscriptions) unsubscribe();
      for (const stream of streams) stream.end();
      await server.stop();
    },
  };
}

/** Whether the console itself has sent a request, to show stored data. */
const isOwn = ({ exchange }: LoggedRequest) => exchange?.headers["user-agent"] === consoleAgent;

/** Omits the frame itself, which the page fetches on demand. */
const summaryOf = ({ text, ...summary }: SocketPost) => ({ ...summary, bytes: Buffer.byteLength(text) });

/** Phone numbers start with a plus, which means a space in a query unless it is encoded; addresses have no spaces. */
const addressIn = ({ searchParams }: URL) => searchParams.get("to")?.replaceAll(" ", "+");

/** Pages that a link on another site may open, since opening them changes nothing. */
const linkedPages: ReadonlySet<string> = new Set(["/"]);

function refusalOf({ method, headers }: IncomingMessage, path: string | undefined): string | undefined {
  if (!isLocalHost(headers)) return "Only localhost and 127.0.0.1 answer here";
  const isLink = method === "GET" && headers["sec-fetch-dest"] === "document" && linkedPages.has(path ?? "");
  return isOfAnotherSite(headers) && !isLink ? "Only pages of this console may send that" : undefined;
}

/** Bundles a script at each request, so that an edit of it needs no restart. */
const script =
  (module: string): Answer =>
  async (response) =>
    send(response, "text/javascript", await bundleForBrowser(new URL(`browser/${module}`, import.meta.url)));

/** Reads the file at each request, so that an edit of the page needs no restart. */
const readPageFile = (file: string) => readFileSync(new URL(`page/${file}`, import.meta.url), "utf8");

function sendMail(response: ServerResponse, html: string): void {
  response.setHeader("content-security-policy", mailPolicy);
  send(response, "text/html", `<!doctype html><base target="_blank">${html}`);
}

const sendJson = (response: ServerResponse, value: unknown) =>
  send(response, "application/json", JSON.stringify(value));

function sendText(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  send(response, "text/plain", text);
}

function send(response: ServerResponse, type: string, body: string): void {
  response.setHeader("content-type", `${type};charset=utf-8`);
  response.end(body);
}

const longestWaitSeconds = 60;

function sendMessages(response: ServerResponse, url: URL, messages: MessageStore): void {
  const to = addressIn(url);
  const waitSeconds = Math.min(Number(url.searchParams.get("wait")) || 0, longestWaitSeconds);
  const hasMessage = () => messages.list({ to }).length > 0;
  if (waitSeconds <= 0 || hasMessage()) {
    sendJson(response, messages.list({ to }));
    return;
  }
  const endWait = messages.subscribe(() => {
    if (hasMessage()) answer();
  });
  const timer = setTimeout(answer, waitSeconds * 1000);
  response.on("close", stop);

  function stop(): void {
    endWait();
    clearTimeout(timer);
  }
  function answer(): void {
    stop();
    sendJson(response, messages.list({ to }));
  }
}
