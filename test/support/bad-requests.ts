import { gzipSync } from "node:zlib";
import { type Auth, defaultBodyLimit, type Route } from "#shared/platform/http/route.ts";
import type { ApiAnswer, ApiRequest } from "./api.ts";
import { operations } from "./contract.ts";
import { oddPaths, oddQueries, oddRequests, sampleRequest } from "./odd-values.ts";
import {
  accessDenied,
  badRequest,
  routeOutcome,
  tooLarge,
  unauthorized,
  wrongType,
} from "./route-outcome.ts";
import { sampleOf, samplePath } from "./sample.ts";
import type { Target } from "./targets.ts";

/** Tokens by the class of operations that accept them. */
export type Tokens = Readonly<Record<"user" | "provider" | "bot" | "scim", string>>;

/**
 * Differences from a request without a body, with the smallest valid path and query and a token that the operation
 * accepts.
 */
interface Changes extends ApiRequest {
  readonly method?: string;
  /** With a leading question mark. */
  readonly query?: string;
  /** Whether it is sent to the public API, even if the operation is internal. */
  readonly isPublic?: boolean;
}

/** Sends requests to the function of one operation. */
export interface Caller {
  readonly target: Target;
  readonly tokens: Tokens;
  send(changes?: Changes): Promise<ApiAnswer>;
  /** Sends a path exactly as written. */
  sendPath(path: string): Promise<{ readonly status: number; readonly body: unknown }>;
}

/** Sends the bad requests of a kind. @returns what is wrong with the answers */
type Ask = (caller: Caller) => Promise<readonly string[]>;

/** Checks an outcome. An answer to HEAD has no body that could name an error. */
function expecting(expected: string, answer: ApiAnswer, { target }: Caller): string[] {
  const due = target.route.method === "HEAD" ? expected.slice(0, 3) : expected;
  const actual = routeOutcome(answer);
  return actual === due ? [] : [`${actual} instead of ${due}`];
}

const typed = (type: string) => ({ "content-type": type });
const json = typed("application/json");
const openBrace = { body: "{", headers: json };
const cutOff = (text: string, type: string) => ({
  body: gzipSync(text).subarray(0, -9),
  headers: { ...typed(type), "content-encoding": "gzip" },
});

/** A body that each format refuses. */
const unreadable: Readonly<Record<NonNullable<Route["bodyFormat"]>, ApiRequest>> = {
  json: openBrace,
  "json-text": openBrace,
  "json-int64": openBrace,
  "json-or-form": openBrace,
  "json-or-protobuf": openBrace,
  scim: openBrace,
  form: cutOff("a=1", "application/x-www-form-urlencoded"),
  "form-or-multipart": { body: "x", headers: typed("multipart/form-data; boundary=x") },
  "multipart-mixed": { body: "x", headers: typed("multipart/mixed; boundary=x") },
  protobuf: { body: new Uint8Array([0]), headers: typed("application/x-protobuf") },
  mls: { body: new Uint8Array([0]), headers: typed("message/mls") },
  "xml-or-json": cutOff("<a/>", "application/xml"),
};

const isRead = ({ method }: Route) => method === "GET" || method === "HEAD";

/** The methods of each path in all versions. */
const methodsAt = Map.groupBy(Object.values(operations), samplePath);

function otherMethodOf({ route }: Target): string {
  const taken = methodsAt.get(samplePath(route)) ?? [];
  const isFree = (method: string) => !taken.some((other) => other.method === method);
  return ["PATCH", "DELETE", "PUT", "POST"].find(isFree) ?? "PROPFIND";
}

/** Whether the smallest parameters are refused, before the body is read: schemas may ask for more than their sample has. */
const refusesSample = ({ params, query }: Route) =>
  [params, query].some((schema) => schema?.safeParse(sampleOf(schema)).success === false);

const statusIs = (expected: number, actual: number): string[] =>
  actual === expected ? [] : [`${actual} instead of ${expected}`];

/** Sends requests one after the other, of which none may disturb the service. */
async function expectNoFault<Sent>(
  sent: readonly Sent[],
  send: (one: Sent) => Promise<{ readonly status: number; readonly body: unknown }>,
): Promise<string[]> {
  const disturbing: string[] = [];
  for (const one of sent) {
    const { status, body } = await send(one);
    if (status === 503 && JSON.stringify(body).includes("service-unavailable"))
      disturbing.push(JSON.stringify(one).slice(0, 200));
  }
  return disturbing;
}

/**
 * The kinds of bad requests, named after their fault. Every answer must also be one that the row of the operation
 * declares.
 */
export const kinds = {
  // Comes before every other check.
  "no token": async (caller) =>
    expecting(unauthorized, await caller.send({ token: undefined, ...openBrace }), caller),
  async "a token of another class"(caller) {
    const { auth } = caller.target.route;
    const token = caller.tokens[auth === "user" ? "provider" : "user"];
    return expecting(auth === "scim" ? unauthorized : accessDenied, await caller.send({ token }), caller);
  },
  "a public path": async (caller) =>
    expecting("404 no-endpoint", await caller.send({ isPublic: true }), caller),
  async "another method"({ target, send }) {
    const { hidesOtherMethods } = target.route;
    const { status } = await send({ method: otherMethodOf(target) });
    return statusIs(hidesOtherMethods ? 404 : 405, status);
  },
  async "odd parameters"({ target, sendPath }) {
    const { auth, method } = target.route;
    // Deletions of things that do not exist may succeed.
    const maySucceed = method === "DELETE" || auth === "internal";
    const successes: string[] = [];
    const disturbing = await expectNoFault(oddPaths(target), async (path) => {
      const answer = await sendPath(path);
      if (answer.status < 300 && !maySucceed) successes.push(`${answer.status} for ${path}`);
      return answer;
    });
    return [...disturbing, ...successes];
  },
  "odd queries": ({ target, send }) => expectNoFault(oddQueries(target.route), (query) => send({ query })),
  async "an unreadable body"(caller) {
    const { bodyFormat = "json", errorFormat } = caller.target.route;
    const answer = await caller.send(unreadable[bodyFormat]);
    // The use case itself reads bytes, after other checks.
    if (bodyFormat === "mls" || bodyFormat === "multipart-mixed")
      return statusIs(answer.status === 403 ? 403 : 400, answer.status);
    return errorFormat === "own" ? statusIs(400, answer.status) : expecting(badRequest, answer, caller);
  },
  "a foreign content type": async (caller) =>
    expecting(wrongType, await caller.send({ body: "{}", headers: typed("text/plain") }), caller),
  async "a large body"(caller) {
    const { route } = caller.target;
    const text = "x".repeat((route.bodyLimit ?? defaultBodyLimit) + 1);
    // Beyond what Lambda takes, only a compressed body reaches the function.
    const isLarge = text.length > defaultBodyLimit + 1;
    const headers = {
      ...unreadable[route.bodyFormat ?? "json"].headers,
      ...(isLarge && { "content-encoding": "gzip" }),
    };
    const answer = await caller.send({ body: isLarge ? gzipSync(text) : text, headers });
    return expecting(refusesSample(route) ? badRequest : tooLarge, answer, caller);
  },
  "the smallest body": ({ target, send }) => expectNoFault([sampleRequest(target.route)], send),
  "odd fields": ({ target, send }) => expectNoFault(oddRequests(target.route), send),
} as const satisfies Readonly<Record<string, Ask>>;
export type Kind = keyof typeof kinds;

/**
 * The kinds of bad requests by the callers that an operation admits; operations that check tokens themselves have their
 * own tests.
 */
const kindsByAuth: Readonly<Record<Auth, readonly Kind[]>> = {
  none: [],
  internal: ["a public path"],
  user: ["no token", "a token of another class"],
  provider: ["no token", "a token of another class"],
  bot: ["no token", "a token of another class"],
  scim: ["no token", "a token of another class"],
  cookie: [],
  "domain-owner": [],
};

/** The kinds that the row of an operation calls for. */
export function kindsOf(route: Route): readonly Kind[] {
  const { auth, body, params, query } = route;
  const bodiesForHandler =
    oddRequests(route).length > 0 ? (["odd fields"] as const) : (["the smallest body"] as const);
  return [
    ...kindsByAuth[auth],
    "another method",
    ...(params === undefined ? [] : (["odd parameters"] as const)),
    ...(query === undefined ? [] : (["odd queries"] as const)),
    ...(isRead(route) ? [] : (["a large body"] as const)),
    ...(body === undefined
      ? []
      : (["an unreadable body", "a foreign content type", ...bodiesForHandler] as const)),
  ];
}
