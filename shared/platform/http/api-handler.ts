import middy, { type MiddlewareObj } from "@middy/core";
import type { Context } from "aws-lambda";
import type * as z from "zod";
import type { ErrorRow } from "#shared/registry/errors/define-errors.ts";
import { errorCatalogue } from "#shared/registry/errors.ts";
import { type AuditRecorder, currentAudited } from "../audit/audited.ts";
import { toAuditedRequest } from "../audit/to-audited-request.ts";
import { type PageRefusal, refuseWithPage } from "../html/refuse-with-page.ts";
import type { Log } from "../log.ts";
import type { Family } from "../manifest.ts";
import { guardCommits } from "../messaging/commit-guard.ts";
import { emitMetric } from "../metrics.ts";
import type { Settings, SwitchName } from "../product.ts";
import { networkOf } from "../rate-limit/network.ts";
import type { NetworkLimit } from "../rate-limit/network-limit.ts";
import { onBehalfOf } from "../request-id.ts";
import { charge } from "../usage/measured-work.ts";
import type { UsageRecorder } from "../usage/usage-recorder.ts";
import { alsoVarying } from "./also-varying.ts";
import { ApiError } from "./api-error.ts";
import { compressFor } from "./compress.ts";
import { type Arrival, readArrival } from "./entrance.ts";
import { parseBody } from "./parse-body.ts";
import { bodySize, readBody } from "./read-body.ts";
import {
  acceptableType,
  type HttpResult,
  renderError,
  renderOAuthError,
  renderReply,
  renderScimError,
  toBadRequest,
} from "./render.ts";
import {
  basicCredentials,
  bearerToken,
  callerOf,
  cookieValues,
  type HttpEvent,
  isInternalRequest,
  queryOf,
  repeatedParameters,
} from "./request.ts";
import {
  type Actor,
  type ByteBudget,
  budgetOf,
  changesForUser,
  type ErrorFormat,
  type Input,
  impliedErrors,
  type Principal,
  type Reply,
  type Route,
} from "./route.ts";
import { type MatchedRoute, Router } from "./router.ts";
import { serveOlderForm } from "./serve-older-form.ts";
import { toApiError } from "./to-api-error.ts";
import { apiVersions } from "./versions.ts";

/** Dependencies of a family's middleware chain. */
export interface ApiDeps {
  /** Reads the secret of the entrance, if requests come through one. */
  readonly entranceSecret?: (() => Promise<string>) | undefined;
  readonly settings: Settings;
  readonly log: Log;
  /** Returns the actor of a request, if its route requires one. */
  readonly authenticate: (event: HttpEvent, route: Route) => Promise<Principal | undefined>;
  /**
   * Reads the account of the actor, whose team the audit trail records, and makes sure that it may make changes: it may
   * have been suspended since its access token was issued. Operators may act for it nevertheless.
   */
  readonly checkCaller?: (actor: Principal, isOperator: boolean) => Promise<void>;
  /** Charges the bytes that a change stores to a daily budget. @throws RateLimitedError */
  readonly chargeBytes?: (actor: Principal, budget: ByteBudget, bytes: number) => Promise<void>;
  /** Whether operators have paused something: for routes that can be paused. */
  readonly isPaused?: (name: SwitchName) => Promise<boolean>;
  /** Keeps the audit trail: for routes whose changes are recorded. */
  readonly recorder?: Pick<AuditRecorder, "run" | "record" | "countRefusal" | "markOf"> | undefined;
  /** Charges a request to the caller's network. */
  readonly charge?: (limit: NetworkLimit, sourceIp: string) => Promise<void>;
  /** Describes errors for the pages of this family. */
  readonly describeRefusal?: PageRefusal;
  /** Measures a sample of the requests. */
  readonly usage?: Pick<UsageRecorder, "request">;
  /** Returns the payer of a request; undefined if there is none. */
  readonly payerOf?: (actor: Principal) => Promise<string | undefined>;
  /** Renders the errors of this family where their format is `own`. */
  readonly renderRefusal?: (error: ApiError, event: HttpEvent) => HttpResult;
}

/** Handlers of any family; each family's `createHandlers` is typed by its own routes. */
export type AnyHandlers = Readonly<Record<string, (input: never) => Promise<Reply<Route>> | Reply<Route>>>;

/** A Lambda handler for events of the HTTP APIs. */
export type ApiHandler = (event: HttpEvent, context: Context) => Promise<HttpResult>;

/** The chain's knowledge of a request so far. */
interface RequestState {
  readonly startedAt: number;
  arrival?: Arrival;
  match?: MatchedRoute;
  /** Read while the request is authenticated and parsed. */
  isPaused?: Promise<boolean> | undefined;
  actor?: Principal;
  input?: Omit<Input<Route>, "actor"> & { readonly actor: Principal | undefined };
  /** Id of the user who was the subject of a refused attempt. */
  subject?: string | undefined;
}

interface RequestContext extends Context {
  readonly request: RequestState;
}

type Middleware = MiddlewareObj<HttpEvent, HttpResult, Error, RequestContext>;

/**
 * Creates the Lambda handler of a family. A request passes the middlewares from top to bottom, its response from bottom
 * to top; an error skips the rest of the way down and is turned into a response.
 */
export function createApiHandler(family: Family, handlers: AnyHandlers, deps: ApiDeps): ApiHandler {
  const router = new Router(family.routes, apiVersions(deps.settings));
  const chain = middy<HttpEvent, HttpResult, Error, RequestContext>()
    .use(accessLog(deps.log))
    .use(responseHeaders(family))
    .use(errorResponses(router, deps))
    .use(routing(router, deps))
    .use(authentication(deps))
    .use(inputParsing())
    .use(requirements(deps))
    .use(pauses())
    .use(networkLimit(deps))
    .handler(async (event, { request }) => {
      const { requestContext } = event;
      const { actor, match, input } = request;
      const form = match?.route.formOf;
      const current = match && handlers[form?.operationId ?? match.operationId];
      if (match === undefined || current === undefined) {
        throw new Error(`${family.name} has no handler for ${match?.operationId}`);
      }
      const handler = form ? serveOlderForm(form, current, deps.settings) : current;
      const handle = async () => handler(input as never);
      const { chargeBytes, checkCaller, payerOf, recorder } = deps;
      if (actor !== undefined && payerOf !== undefined) await charge(() => payerOf(actor));
      const guarded = () => {
        if (actor === undefined) return handle();
        const isOperator = isInternalRequest(event);
        const checks = changesForUser(match.route) ? checkCaller : undefined;
        const budget = isOperator ? undefined : budgetOf(match.route);
        if (checks === undefined && budget === undefined) return handle();
        return guardCommits(async () => {
          const charging = budget && chargeBytes?.(actor, budget, bodySize(event, match.route));
          // A caller who may not make changes at all is refused first.
          charging?.catch(() => undefined);
          await checks?.(actor, isOperator);
          await charging;
        }, handle);
      };
      const audited = input && recorder && toAuditedRequest(event, match, input, recorder.markOf);
      const identify = async () => {
        const subject = actor ?? targetOfOperator();
        return subject && payerOf?.(subject);
      };
      const reply =
        audited === undefined || recorder === undefined
          ? await guarded()
          : await recorder.run(
              audited.request,
              async () => {
                const found = await countingRefusals(recorder, request, guarded, identify);
                const isShown = found.status !== seeOther;
                if (audited.mode === "reads" && isShown) await recordRead(recorder, identify);
                return found;
              },
              audited.mode,
            );
      const rendered = renderReply(match.route, reply);
      const result = match.route.compresses
        ? await compressFor(event.headers["accept-encoding"], rendered)
        : rendered;
      return requestContext.http.method === "HEAD" ? { ...result, body: "" } : result;
    });
  return (event, context) => {
    const handle = () => chain(event, Object.assign(context, { request: { startedAt: performance.now() } }));
    return onBehalfOf(event.requestContext.requestId, () => deps.usage?.request(handle) ?? handle());
  };
}

/** The user whom an operator's request is about, unless it is on behalf of a user. */
function targetOfOperator(): Actor | undefined {
  const { actor, target } = currentAudited() ?? {};
  return actor?.kind === "operator" && target?.uid !== undefined ? { userId: target.uid } : undefined;
}

/** Leads a browser to another page, and shows nothing. */
const seeOther = 303;

/**
 * Records a read before it is answered; without a record there is no answer.
 * @param identify reads the account of the actor or of an operator's target, which decides the chain of the record
 */
async function recordRead(
  recorder: Pick<AuditRecorder, "record">,
  identify: () => Promise<unknown>,
): Promise<void> {
  if (currentAudited()?.team === undefined) await identify();
  const shown = currentAudited();
  if (shown !== undefined) await recorder.record(shown);
}

/**
 * Records the refusal of an audited operation, if such refusals are recorded; if that fails, the answer stays the same.
 * @param identify reads the account of the actor or of an operator's target, which decides the chain of the record
 */
async function countingRefusals<Result>(
  recorder: Pick<AuditRecorder, "countRefusal">,
  request: RequestState,
  task: () => Promise<Result>,
  identify: () => Promise<unknown> = async () => undefined,
): Promise<Result> {
  try {
    return await task();
  } catch (thrown) {
    const { error, isFault } = toApiError(thrown);
    const audited = currentAudited();
    request.subject = audited?.target.uid;
    if (audited !== undefined && !isFault) await recorder.countRefusal(error, identify);
    throw thrown;
  }
}

/**
 * Writes one line per request: operation, outcome, duration, caller, and the subject of a refused attempt, but no
 * headers, query or body. The caller is the network by which limits count, or the principal of the internal API.
 */
function accessLog(log: Log): Middleware {
  const write: Middleware["after"] = ({ event, context: { request }, response, error }) => {
    log.info("request", {
      requestId: event.requestContext.requestId,
      operation: request.match?.operationId,
      method: event.requestContext.http.method,
      version: request.match?.version,
      status: response?.statusCode,
      error: error ? toApiError(error).error : undefined,
      user: request.subject,
      caller: callerOf(event),
      network: networkIn(event, request),
      milliseconds: Math.round(performance.now() - request.startedAt),
    });
  };
  return { after: write, onError: write };
}

/** API Gateway's own log has the address of the entrance. */
const networkIn = (event: HttpEvent, { arrival }: RequestState): string | undefined =>
  arrival === undefined || isInternalRequest(event) ? undefined : networkOf(arrival.sourceIp);

/** Headers of every response unless its handler sets them (OWASP REST Security Cheat Sheet). */
const defaultHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
};

/** Required by SAML for messages that pass through a browser (bindings 3.5.5.1). */
const headersForOldCaches = { "cache-control": "no-cache, no-store", pragma: "no-cache" };

function responseHeaders({ forbidsOldCaches = false }: Family): Middleware {
  const add: Middleware["after"] = ({ event, response }) => {
    if (response === undefined || response === null) return;
    const contentType = response.headers?.["content-type"];
    const { "cache-control": caching = "no-store", vary = "" } = response.headers ?? {};
    response.headers = {
      ...defaultHeaders,
      ...(forbidsOldCaches && headersForOldCaches),
      "x-request-id": event.requestContext.requestId,
      ...response.headers,
      // The gateway adds CORS headers for the request's origin, which a cache must not give to another one.
      ...(!String(caching).includes("no-store") && { vary: alsoVarying(String(vary), "origin") }),
      ...(contentType !== undefined && {
        "content-type": acceptableType(String(contentType), event.headers.accept),
      }),
    };
  };
  return { after: add, onError: add };
}

/** Turns errors into responses. A fault of our own is a 500 that tells the caller nothing and the log everything. */
function errorResponses(
  router: Router,
  { describeRefusal, log, renderRefusal = renderError, settings }: ApiDeps,
): Middleware {
  const renderers: Record<ErrorFormat, (error: ApiError, event: HttpEvent) => HttpResult> = {
    json: renderError,
    page: describeRefusal === undefined ? renderError : refuseWithPage(describeRefusal, settings),
    scim: (error, { headers }) => renderScimError(error, headers.accept),
    oauth: renderOAuthError,
    own: renderRefusal,
  };
  /** Monitoring must be able to distinguish it from a fault. */
  const countDeliberate = (event: HttpEvent) => {
    const audience = isInternalRequest(event) ? "internal" : "public";
    emitMetric("DeliberateServerErrors", { value: 1, unit: "Count", audience, log });
  };
  return {
    after: ({ event, response }) => {
      if ((response?.statusCode ?? 0) >= 500) countDeliberate(event);
    },
    onError: (request) => {
      const { event, context } = request;
      const error = answerableError(toApiError(request.error), context.request.match?.route);
      if (error.isFault) {
        log.error("request-failed", {
          requestId: event.requestContext.requestId,
          operationId: context.request.match?.operationId,
          error: request.error as Error,
        });
      } else if (error.status >= 500) {
        countDeliberate(event);
      }
      request.response = renderers[router.errorFormatOf(context.request.arrival?.path ?? event.rawPath)](
        error,
        event,
      );
    },
  };
}

/** Where clients interpret 503 as a service that is switched off, a temporary failure must have another status. */
function answerableError(error: ApiError, route: Route | undefined): ApiError {
  if (error.error !== "service-unavailable" || route === undefined) return error;
  const rows = [...route.errors, ...impliedErrors(route)].map((name): ErrorRow => errorCatalogue[name]);
  const isAmbiguous = rows.some(
    ({ status, label, isDeliberate }) => status === error.status && label !== error.label && isDeliberate,
  );
  return isAmbiguous ? new ApiError("server-error", { cause: error }) : error;
}

function routing(router: Router, { entranceSecret, isPaused }: ApiDeps): Middleware {
  return {
    before: async ({ event, context: { request } }) => {
      const { method } = event.requestContext.http;
      request.arrival = readArrival(event, await entranceSecret?.());
      request.match = router.match(method, request.arrival.path, { isInternal: isInternalRequest(event) });
      const { pausedBy } = request.match.route;
      request.isPaused = pausedBy && isPaused?.(pausedBy);
    },
  };
}

/** Authenticates before the input is parsed, so that strangers learn nothing about schemas. */
function authentication({ authenticate, recorder }: ApiDeps): Middleware {
  return {
    before: async ({ event, context: { request } }) => {
      const { match, arrival } = request;
      if (match === undefined || arrival === undefined) return;
      const { requestId } = event.requestContext;
      const attempt = async () => authenticate(event, match.route);
      // Nobody has checked the path yet, so a record does not repeat it.
      const known = { actor: undefined, params: {}, requestId, sourceIp: arrival.sourceIp };
      const audited = recorder && toAuditedRequest(event, match, known, recorder.markOf);
      request.actor = await (audited === undefined || recorder === undefined
        ? attempt()
        : recorder.run(audited.request, () => countingRefusals(recorder, request, attempt), "open"));
    },
  };
}

function inputParsing(): Middleware {
  return {
    before: async ({ event, context: { request } }) => {
      if (request.match === undefined || request.arrival === undefined) return;
      const { route, params, version, isPrefixed } = request.match;
      request.input = {
        params: parse("path", route.params, params),
        query: parse("query", route.query, Object.fromEntries(queryOf(event))),
        body: parse("body", route.body, await readBody(event, route), parseBody),
        headers: parse("header", route.headers, headersFor(route, event)),
        actor: request.actor,
        version,
        isPrefixed,
        requestId: event.requestContext.requestId,
        sourceIp: request.arrival.sourceIp,
        host: request.arrival.host,
        cookies: cookieValues(event, "zuid"),
        cookiesNamed: (name) => cookieValues(event, name),
        bearer: bearerToken(event),
        basic: basicCredentials(event),
        repeated: repeatedParameters(event),
        isHead: event.requestContext.http.method === "HEAD",
      };
    },
  };
}

function requirements({ settings }: ApiDeps): Middleware {
  return {
    before: ({ context: { request } }) => {
      for (const { check } of request.match?.route.requires ?? []) {
        check({ params: request.input?.params, settings });
      }
    },
  };
}

/** How long clients wait before they retry a paused operation. */
const retryAfterSeconds = 60;

function pauses(): Middleware {
  return {
    before: async ({ context: { request } }) => {
      if (await request.isPaused) throw new ApiError("paused", { retryAfterSeconds });
    },
  };
}

/** Last, so that nobody pays for a request that is refused anyway. */
function networkLimit({ charge }: ApiDeps): Middleware {
  return {
    before: async ({ context: { request } }) => {
      const limit = request.match?.route.limitByNetwork;
      if (limit !== undefined && request.input !== undefined) await charge?.(limit, request.input.sourceIp);
    },
  };
}

const headersFor = ({ headers }: Route, event: HttpEvent) =>
  Object.fromEntries(
    Object.keys(headers?.shape ?? {}).map((name) => [name, event.headers[name.toLowerCase()]]),
  );

function parse<Schema extends z.ZodType>(
  part: string,
  schema: Schema | undefined,
  value: unknown,
  validate: typeof parseBody = (schema, value) => schema.safeParse(value),
): z.output<Schema> | undefined {
  if (schema === undefined) return undefined;
  const result = validate(schema, value);
  if (!result.success) throw toBadRequest(part, result.error);
  return result.data;
}
