import type * as z from "zod";
import type { ErrorName } from "../errors.ts";
import type { OAuthScope } from "../oauth/scopes.ts";

export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Who may call an operation.
 * - `none`: anybody
 * - `user`: bearer of a login access token (header, or query parameter `access_token`); on the internal API `Z-User`
 * - `cookie`: the use case itself checks the `zuid` cookie and the access token
 * - `internal`: callers of the internal API; the path does not exist on the public one
 */
export type Auth = "none" | "user" | "cookie" | "internal";

/** A body that is not JSON, written as it is. */
export interface RawBody {
  readonly contentType: string;
}

/** What the operation answers under a status: a JSON schema, a raw body, or nothing. */
export type ResponseBody = z.ZodType | RawBody | null;

/** One operation of the interface. A path exists when a route names it: in the gateways, the document and the tests. */
export interface Route {
  readonly method: HttpMethod;
  /** Path without version prefix; parameters in braces. */
  readonly path: string;
  /** First version that has the operation; absent: 0. */
  readonly since?: number;
  /** Last version that has the operation; absent: the newest. */
  readonly until?: number;
  readonly auth: Auth;
  /** Scope that opens the operation to OAuth tokens; absent: only login tokens do. */
  readonly scope?: OAuthScope;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Headers of the operation's own; their case does not matter. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A GET that changes something: HEAD, which scanners of links send, must not do the same. */
  readonly refusesHead?: boolean;
  /** With `json-text` the handler gets JSON as it was written, after it was checked like any other. */
  readonly bodyFormat?: "json" | "json-text" | "form" | "json-or-form";
  /** Largest body in bytes after decompression; absent: `defaultBodyLimit`. */
  readonly bodyLimit?: number;
  readonly responses: Readonly<Record<number, ResponseBody>>;
  /** Errors of the operation itself, beside `impliedErrors`. */
  readonly errors: readonly ErrorName[];
}

/** Errors that every operation of its kind can answer, without its route naming them. */
export function impliedErrors({ auth, body, headers, method, params, query }: Route): ErrorName[] {
  const takesInput = [params, query, headers, body].some((part) => part !== undefined);
  return [
    ...(takesInput ? (["bad-request"] as const) : []),
    ...(auth === "user" ? (["unauthenticated", "token-class-forbidden"] as const) : []),
    ...(method === "GET" || method === "HEAD" ? [] : (["concurrent-change", "body-too-large"] as const)),
    ...(body ? (["unsupported-media-type"] as const) : []),
  ];
}

/** Routes by operation id. */
export type RouteTable = Readonly<Record<string, Route>>;

/** Bytes that a body may have where its route says nothing else. */
export const defaultBodyLimit = 64 * 1024;

/** Types a route table by its own rows, so that handlers are checked against them. */
export const defineRoutes = <const Table extends RouteTable>(table: Table): Table => table;

/** The user behind a verified access token. */
export interface Actor {
  readonly userId: string;
  /** Connection id of the token; absent for callers of the internal API. */
  readonly connectionId?: string;
  readonly clientId?: string;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a handler receives: parsed and authenticated. */
export interface Input<Operation extends Route> {
  readonly params: Parsed<Operation["params"]>;
  readonly query: Parsed<Operation["query"]>;
  readonly headers: Parsed<Operation["headers"]>;
  readonly body: Parsed<Operation["body"]>;
  readonly actor: Operation["auth"] extends "user" ? Actor : undefined;
  /** Version that answers: the one in the path, else the first that has the operation. */
  readonly version: number;
  /** Whether the path named the version. */
  readonly isPrefixed: boolean;
  readonly requestId: string;
  readonly sourceIp: string;
  /** Values of all `zuid` cookies, in the order of the request. */
  readonly cookies: readonly string[];
  /** Values of all cookies of another name. */
  readonly cookiesNamed: (name: string) => readonly string[];
  readonly bearer: string | undefined;
}

interface ReplyHead {
  readonly headers?: Readonly<Record<string, string>>;
  /** `Set-Cookie` values. */
  readonly cookies?: readonly string[];
}

type ReplyBody<Body extends ResponseBody> = Body extends z.ZodType
  ? undefined extends z.input<Body>
    ? { readonly body?: z.input<Body> }
    : { readonly body: z.input<Body> }
  : Body extends RawBody
    ? { readonly body: string }
    : { readonly body?: undefined };

type ReplyStatus<Responses, Status> = keyof Responses extends Status
  ? { readonly status?: Status }
  : { readonly status: Status };

/** What a handler returns; the status may be left out where the route has only one. */
export type Reply<Operation extends Route> = {
  [Status in keyof Operation["responses"]]: ReplyStatus<Operation["responses"], Status> &
    ReplyBody<Extract<Operation["responses"][Status], ResponseBody>> &
    ReplyHead;
}[keyof Operation["responses"]];

/** One handler per operation: a missing or misspelt one, or a body that does not fit, does not compile. */
export type Handlers<Table extends RouteTable> = {
  readonly [Id in keyof Table]: (input: Input<Table[Id]>) => Promise<Reply<Table[Id]>> | Reply<Table[Id]>;
};
