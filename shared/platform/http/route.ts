import type * as z from "zod";
import type { AuditMode } from "../audit/audited.ts";
import type { AuditEvent, ErrorName, OAuthScope, SwitchName } from "../product.ts";
import type { ProtobufMessage } from "../protobuf.ts";
import type { NetworkLimit } from "../rate-limit/network-limit.ts";
import type { AdaptersOf, FormAdapters, Parsed } from "./older-form.ts";
import type { BasicCredentials } from "./request.ts";
import type { Requirement } from "./requirement.ts";

export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Callers of an operation.
 * - `none`: anybody
 * - `user`: bearer of a login access token (header, or query parameter `access_token`); on the internal API `Z-User`
 * - `cookie`: the use case itself checks the `zuid` cookie and the access token
 * - `domain-owner`: the use case itself checks the token that proves ownership of an email domain
 * - `scim`: bearer of a team's SCIM token
 * - `provider`: token of a provider of services (header, query parameter `access_token`, or cookie `zprovider`)
 * - `bot`: token of a bot, in the same places
 * - `internal`: callers of the internal API; the path does not exist on the public one
 */
export type Auth = "none" | "user" | "cookie" | "domain-owner" | "scim" | "provider" | "bot" | "internal";

/** A body that is not JSON, written as it is: a text, or bytes such as a compressed one. */
export interface RawBody {
  /** A range such as `text/*` when the handler sets the header itself. */
  readonly contentType: string;
}

/** A message in protobuf, decoded to the JSON form that the body's schema expects. */
export interface ProtobufBody {
  readonly message: ProtobufMessage<unknown>;
  /** @throws Error when the bytes are not such a message */
  readonly decode: (bytes: Uint8Array) => unknown;
}

/** Body of a response: a JSON schema, a raw body, or nothing. */
export type ResponseBody = z.ZodType | RawBody | null;

/**
 * How errors are rendered: as JSON, as a page for browsers, which ask for HTML, as SCIM has them (RFC 7644 §3.12), as
 * OAuth has them (RFC 6749 §5.2), or as the family renders them itself.
 */
export type ErrorFormat = "json" | "page" | "scim" | "oauth" | "own";

/** One operation of the interface. The gateways, the API document and the tests take their paths from the routes. */
export type Route = RouteFields & Audited;

/** The audit trail's record of a change by an operation, or the reason why there is none. */
type Audit =
  | AuditEvent
  | { readonly none: string; readonly isRead?: true }
  /** Recorded only if the use case calls `recordAudited`; `when` describes when it does. */
  | { readonly event: AuditEvent; readonly when: string }
  /** It shows personal data, and is recorded before it answers. */
  | { readonly reads: AuditEvent };

/** Name of an operation's changes in the audit trail; undefined if they are not recorded. */
const eventOf = (audit: Audit): AuditEvent | undefined =>
  typeof audit === "string"
    ? audit
    : "event" in audit
      ? audit.event
      : "reads" in audit
        ? audit.reads
        : undefined;

/** Default record of an internal read. */
const defaultRead: AuditEvent = "personal-data.read";

/**
 * The audit trail's record of a request. Every read for a caller of the internal API is recorded unless its row says
 * why not, so that no operation that shows data is forgotten.
 */
export function auditOf(
  { audit, auth, method }: Pick<Route, "audit" | "auth" | "method">,
  isInternal: boolean,
): { readonly event: AuditEvent; readonly mode: AuditMode } | undefined {
  const { isRead = audit === undefined && (method === "GET" || method === "HEAD") } =
    typeof audit === "object" && "none" in audit ? audit : {};
  const event = audit && eventOf(audit);
  if (event === undefined)
    return isRead && isInternal && (auth === "internal" || auth === "user")
      ? { event: defaultRead, mode: "reads" }
      : undefined;
  if (typeof audit === "string") return { event, mode: "changes" };
  return { event, mode: typeof audit === "object" && "reads" in audit ? "reads" : "open" };
}

/** Only reads may omit it: for callers of the internal API, they are recorded. */
type Audited =
  | { readonly method: "GET" | "HEAD"; readonly audit?: Audit }
  | { readonly method: Exclude<HttpMethod, "GET" | "HEAD">; readonly audit: Audit };

interface RouteFields {
  /** Path without version prefix; parameters in braces. */
  readonly path: string;
  /**
   * Whether the last parameter takes the rest of the path, including slashes: HTTP APIs decode `%2F` before routing and
   * before functions see it.
   */
  readonly takesRest?: boolean;
  /** Whether the last parameter must not appear in logs, such as a token. */
  readonly endsInSecret?: boolean;
  /**
   * Whether the path may also end in a slash. The family must also own everything below the path, because gateways
   * route by that.
   */
  readonly allowsTrailingSlash?: boolean;
  /** First version that has the operation; absent: 0. */
  readonly since?: number;
  /** Last version that has the operation; absent: the newest. */
  readonly until?: number;
  /** Whether a method that the path lacks is answered 404, like an unknown path; all operations of a path agree. */
  readonly hidesOtherMethods?: boolean;
  readonly auth: Auth;
  /** Scope that opens the operation to OAuth tokens; absent: only login tokens do. */
  readonly scope?: OAuthScope;
  /** Whether legal hold devices may call it with tokens of their own. */
  readonly allowsLegalHold?: boolean;
  /** The error for an internal caller without a user; absent: `unauthenticated`, as on the public API. */
  readonly withoutUser?: ErrorName;
  /** A few words in the imperative: "Register an account". */
  readonly summary: string;
  /** Further details, in Markdown. */
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Headers specific to the operation; their case does not matter. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** For a GET that changes something: HEAD, which link scanners send, must not (RFC 9110 §9.2.1). */
  readonly refusesHead?: boolean;
  /**
   * With `xml-or-json`, the handler gets the text, and its schema tells one from the other. With `scim`, JSON is also taken
   * as `application/scim+json`.
   *
   * With `json-text`, the handler gets the JSON as it was sent, after it was validated like any other. With
   * `json-int64`, integers that a number cannot hold exactly arrive as `Int64`. A body in protobuf is decoded by
   * `protobuf` and then validated like JSON. With `multipart-mixed` and
   * `mls`, the handler gets the bytes, even if there are none.
   */
  readonly bodyFormat?:
    | "json"
    | "json-text"
    | "json-int64"
    | "form"
    | "form-or-multipart"
    | "json-or-form"
    | "json-or-protobuf"
    | "mls"
    | "multipart-mixed"
    | "protobuf"
    | "scim"
    | "xml-or-json";
  /** The message that a body in protobuf holds. */
  readonly protobuf?: ProtobufBody;
  /** Largest body in bytes after decompression; absent: `defaultBodyLimit`. */
  readonly bodyLimit?: number;
  /** Rules that every request of the operation must meet; their errors are implied. */
  readonly requires?: readonly Requirement[];
  /**
   * The daily budget of the user to which a change is charged, by the bytes of its body, or the reason why it is free;
   * absent: `changes`, so that no operation is forgotten. Only for `user` and `bot`; `DELETE` is free unless this says
   * otherwise, because it makes room.
   */
  readonly costs?: ByteBudget | { readonly none: string };
  /** Limit of the caller's network, charged once a request meets all rules; `too-many-requests` is implied. */
  readonly limitByNetwork?: NetworkLimit;
  /** Whether only our own pages use it, so that no client needs it in the API document. */
  readonly isForBrowsersOnly?: boolean;
  /** Absent: `json`. All operations of a path have the same. */
  readonly errorFormat?: ErrorFormat;
  /** Whether the answer is compressed for callers that accept it: a large one that has neither secrets nor input in it. */
  readonly compresses?: boolean;
  /** Switch by which operators pause the operation; `paused` is implied. */
  readonly pausedBy?: SwitchName;
  readonly responses: Readonly<Record<number, ResponseBody>>;
  /** Descriptions of the headers that `responses` have, by name. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Errors of the operation itself, in addition to `impliedErrors`. */
  readonly errors: readonly ErrorName[];
  /** Forms of the operation under other paths and in older versions, by operation id. */
  readonly olderForms?: Readonly<Record<string, OlderForm>>;
  /** The row from which `defineRoutes` has derived that of an older form. */
  readonly formOf?: FormOf;
}

/**
 * Differences of an older form from today's row: undefined removes a field, an absent one stays the same. A form has
 * versions of its own.
 */
interface OlderForm extends Partial<Omit<Route, "olderForms" | "formOf">>, FormAdapters {}

/** The operation behind an older form. */
export interface FormOf extends FormAdapters {
  readonly operationId: string;
  readonly route: Route;
}

/** Whether a user, or a bot, may change something by an operation. */
export const changesForUser = ({ auth, method }: Pick<Route, "auth" | "method">) =>
  (auth === "user" || auth === "bot") && method !== "GET" && method !== "HEAD";

/** A daily budget of bytes (ADR 36). */
export type ByteBudget = "changes" | "uploads";

/** The budget to which an operation is charged; undefined: none. */
export function budgetOf({
  auth,
  costs,
  method,
}: Pick<Route, "auth" | "costs" | "method">): ByteBudget | undefined {
  if (auth !== "user" && auth !== "bot") return undefined;
  if (costs !== undefined) return typeof costs === "string" ? costs : undefined;
  return method === "POST" || method === "PUT" || method === "PATCH" ? "changes" : undefined;
}

/** Errors that an operation can return by its kind, without listing them. */
export function impliedErrors({
  auth,
  body,
  costs,
  headers,
  limitByNetwork,
  method,
  params,
  pausedBy,
  query,
  requires = [],
  withoutUser,
}: Route): ErrorName[] {
  const takesInput = [params, query, headers, body].some((part) => part !== undefined);
  return [
    ...(takesInput ? (["bad-request"] as const) : []),
    ...(auth === "user" || auth === "provider" || auth === "bot"
      ? (["unauthenticated", "token-class-forbidden"] as const)
      : []),
    ...(changesForUser({ auth, method }) ? (["suspended"] as const) : []),
    ...(withoutUser === undefined ? [] : [withoutUser]),
    ...(auth === "scim" ? (["unauthenticated"] as const) : []),
    ...(method === "GET" || method === "HEAD" ? [] : (["concurrent-change", "body-too-large"] as const)),
    ...(body ? (["unsupported-media-type"] as const) : []),
    ...requires.flatMap(({ errors }) => errors),
    ...(limitByNetwork || budgetOf({ auth, costs, method }) ? (["too-many-requests"] as const) : []),
    ...(pausedBy ? (["paused"] as const) : []),
  ];
}

/** Routes by operation id. */
export type RouteTable = Readonly<Record<string, Route>>;

/** Largest body in bytes, unless its route sets another limit. */
export const defaultBodyLimit = 64 * 1024;

/**
 * Types a route table by its own rows, so that handlers are checked against them, and gives each older form a row, which
 * the handler of its operation serves.
 */
export const defineRoutes = <const Table extends RouteTable>(table: Table & CheckedForms<Table>): Table => {
  const rows = Object.entries<Route>(table).flatMap(([id, row]) => [[id, row], ...olderRows(id, row)]);
  return Object.fromEntries(rows);
};

/** Answers methods that the paths of a table lack with 404, like unknown paths. */
export const hideOtherMethods = <Table extends RouteTable>(table: Table): Table => {
  const rows = Object.entries<Route>(table).map(([id, row]) => [id, { ...row, hidesOtherMethods: true }]);
  return Object.fromEntries(rows);
};

/** Requires the adapters without which an older form would not fit its operation. */
type CheckedForms<Table extends RouteTable> = {
  readonly [Id in keyof Table]: {
    readonly olderForms?: {
      readonly [Form in keyof Table[Id]["olderForms"]]: AdaptersOf<Table[Id], Table[Id]["olderForms"][Form]>;
    };
  };
};

const olderRows = (operationId: string, { olderForms = {}, ...row }: Route): [string, Route][] =>
  Object.entries(olderForms).map(([id, { request, answer, ...changes }]) => {
    const formOf = { operationId, route: row, request, answer };
    return [id, { ...row, since: undefined, until: undefined, ...changes, formOf } as Route];
  });

/** The user behind a verified access token. */
export interface Actor {
  readonly userId: string;
  /** Connection id of the token; absent for callers of the internal API. */
  readonly connectionId?: string;
  readonly clientId?: string;
  /** App behind an OAuth token. */
  readonly appId?: string;
  /** Scopes of an OAuth token. */
  readonly scopes?: readonly string[];
}

/** The directory behind a SCIM token, and the team that it provisions. */
export interface Provisioner {
  readonly teamId: string;
  readonly tokenId: string;
  /** Identity provider of the users that it provisions, if any. */
  readonly idpId?: string;
  /** The owner who has created the token; absent for tokens created before this was recorded. */
  readonly createdBy?: string;
}

/** The provider of services behind a verified token; its account may have been deleted meanwhile. */
export interface ProviderActor {
  readonly providerId: string;
}

/** The bot behind a verified token, and the conversation that it was added to; both may have been deleted meanwhile. */
export interface BotActor {
  readonly botId: string;
  readonly providerId: string;
  readonly conversationId: string;
}

interface Principals {
  readonly user: Actor;
  readonly scim: Provisioner;
  readonly provider: ProviderActor;
  readonly bot: BotActor;
}

/** The actor of a request. */
export type Principal = Principals[keyof Principals];

type PrincipalOf<Kind extends Auth> = Kind extends keyof Principals ? Principals[Kind] : undefined;

/** The input of a handler: a request, authenticated and parsed. */
export interface Input<Operation extends Route> {
  readonly params: Parsed<Operation["params"]>;
  readonly query: Parsed<Operation["query"]>;
  readonly headers: Parsed<Operation["headers"]>;
  readonly body: Parsed<Operation["body"]>;
  readonly actor: PrincipalOf<Operation["auth"]>;
  /** Version that handles the request: the one in the path, otherwise the first that has the operation. */
  readonly version: number;
  /** Whether the path named the version. */
  readonly isPrefixed: boolean;
  readonly requestId: string;
  readonly sourceIp: string;
  /** The requested host, in lower case and without port; on the internal API from `Z-Host`. */
  readonly host: string;
  /** Values of all `zuid` cookies, in the order of the request. */
  readonly cookies: readonly string[];
  /** Values of all cookies with another name. */
  readonly cookiesNamed: (name: string) => readonly string[];
  readonly bearer: string | undefined;
  /** Credentials of an OAuth app in the header `Authorization`. */
  readonly basic: BasicCredentials | undefined;
  /** Names of query parameters that are given more than once; of these, `query` has the last values. */
  readonly repeated: readonly string[];
  /** Whether the caller has sent HEAD instead of GET, so that nothing may change. */
  readonly isHead: boolean;
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
    ? { readonly body: string | Uint8Array }
    : { readonly body?: undefined };

type ReplyStatus<Responses, Status> = keyof Responses extends Status
  ? { readonly status?: Status }
  : { readonly status: Status };

/** The result of a handler; the status may be omitted where the route has only one. */
export type Reply<Operation extends Route> = {
  [Status in keyof Operation["responses"]]: ReplyStatus<Operation["responses"], Status> &
    ReplyBody<Extract<Operation["responses"][Status], ResponseBody>> &
    ReplyHead;
}[keyof Operation["responses"]];

/** One handler per operation: a missing or misspelt one, or a body that does not fit, does not compile. */
export type Handlers<Table extends RouteTable> = {
  readonly [Id in keyof Table]: (input: Input<Table[Id]>) => Promise<Reply<Table[Id]>> | Reply<Table[Id]>;
};
