import { isDeepStrictEqual } from "node:util";
import { families } from "#functions/families.ts";
import { fallbackFamily, gatewayRoutes, resolveRoute } from "#lib/gateway-routes.ts";
import { readRequestPath } from "#lib/local/gateway/request-path.ts";
import { impliedErrors, type RawBody, type Route, type RouteTable } from "#shared/platform/http/route.ts";
import { Router } from "#shared/platform/http/router.ts";
import { apiVersions } from "#shared/platform/http/versions.ts";
import type { ErrorRow } from "#shared/registry/errors/define-errors.ts";
import { scimErrorLabel } from "#shared/registry/errors/provisioning.ts";
import { type ErrorName, errorCatalogue } from "#shared/registry/errors.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { noteAnswer } from "./answers.ts";

/** Every operation of every family. */
export const operations: RouteTable = Object.assign({}, ...families.map(({ routes }) => routes));

const idOf = new Map(Object.entries(operations).map(([id, route]) => [route, id]));
const versions = apiVersions(parseSettings({}));
const routers = new Map(families.map(({ name, routes }) => [name, new Router(routes, versions)]));
/** The internal API has all operations but those for browsers only. */
const gateways = (["internal", "public"] as const).map((audience) => ({
  isInternal: audience === "internal",
  routes: gatewayRoutes(families, audience),
}));

interface Exchange {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly status: number;
  readonly headers?: Headers;
  readonly body: unknown;
}

/**
 * Check an answer against the route tables: its status must be declared, a success must have exactly the declared
 * fields, and an error must be `{code, label, message}` with a label of the operation. Headers that clients act on must
 * be declared, too.
 *
 * @throws Error with the answer and the first mismatch
 */
export function checkContract({ method, path, status, headers = new Headers(), body }: Exchange): void {
  // The gateway itself refuses such a path, and anything too large for Lambda, before a function is called.
  if (status === 400 && readRequestPath(path) === undefined && Object(body).message === "Bad Request") return;
  if (status === 413 && Object(body).message === "Request Entity Too Large") return;
  const operation = findOperation(method, path);
  const id = operation && idOf.get(operation);
  if (id !== undefined) noteAnswer(id, status);
  const isError =
    status >= 400 && (operation?.responses[status] === undefined || Object(body).label !== undefined);
  const problem =
    (isError
      ? wrongError(operation, status, body, headers)
      : wrongSuccess(operation, status, body, headers)) ?? undeclaredHeader(operation, headers);
  if (problem !== undefined && !(method === "HEAD" && body === "")) {
    throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(body)}: ${problem}`);
  }
}

/** Looks only in the family that the gateway selects: another one may have a similar path. */
function findOperation(method: string, path: string): Route | undefined {
  for (const { isInternal, routes } of gateways) {
    const router = routers.get(resolveRoute(routes, path)?.family ?? fallbackFamily);
    try {
      return router?.match(method, decodable(path), { isInternal }).route;
    } catch {
      // Not an operation of this API.
    }
  }
  return undefined;
}

/**
 * The path with a letter in place of percent-encoded bytes that are not UTF-8: the internal API replaces them with a
 * character of its own.
 */
const decodable = (path: string) =>
  path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      decodeURIComponent(codes);
      return codes;
    } catch {
      return "x";
    }
  });

function wrongSuccess(
  operation: Route | undefined,
  status: number,
  body: unknown,
  headers: Headers,
): string | undefined {
  const declared = operation?.responses[status];
  if (declared === undefined) return "the status is not declared";
  if (declared === null) return body === "" ? undefined : "no body is declared";
  if (!("parse" in declared)) return wrongText(declared, body, headers);
  const { success, data, error } = declared.safeParse(body === "" ? undefined : body);
  if (!success) return `the body is not as declared: ${error.message}`;
  return body === "" || isDeepStrictEqual(data, body)
    ? undefined
    : "the body has fields that are not declared";
}

function wrongText({ contentType }: RawBody, body: unknown, headers: Headers): string | undefined {
  if (typeof body !== "string") return "a text is declared";
  const isDeclared = headers.get("content-type")?.startsWith(contentType.replace(/\*$/, "")) ?? true;
  return isDeclared ? undefined : `its content type is not ${contentType}`;
}

function undeclaredHeader(operation: Route | undefined, headers: Headers): string | undefined {
  const declared = Object.keys(operation?.responseHeaders ?? {}).map((name) => name.toLowerCase());
  const noted = ["set-cookie", "location", "replay-nonce"];
  const undeclared = noted.filter((name) => headers.has(name) && !declared.includes(name));
  return undeclared.length === 0 ? undefined : `${undeclared} is not declared`;
}

function wrongError(
  operation: Route | undefined,
  status: number,
  body: unknown,
  headers: Headers,
): string | undefined {
  if ((operation === undefined || operation.errorFormat === "own") && typeof body === "string")
    return wrongErrorPage(operation, status, body);
  const { schemas, ...error } = Object(body);
  if (schemas !== undefined) return wrongScimError(operation, status, error, headers);
  const { code, label, message, ...further } = error;
  // An unknown path or method below those of OAuth is refused in the same format.
  const isOAuth =
    operation === undefined ? typeof further.error === "string" : operation.errorFormat === "oauth";
  const { error: word, error_description: description, ...ofRow } = further;
  if (isOAuth && !(typeof word === "string" && typeof description === "string"))
    return "not an error of OAuth";
  const others = isOAuth ? ofRow : further;
  if (operation?.errorFormat === "scim") return "not an error of SCIM";
  const isComplete = code === status && typeof label === "string" && typeof message === "string";
  if (!isComplete) return "not an error body";
  const known: ErrorRow[] = possibleErrors(operation).map((name) => errorCatalogue[name]);
  const isKnown = known.some(
    (row) =>
      row.status === status &&
      row.label === label &&
      (row.hasRetryAfter || !headers.has("retry-after")) &&
      isDeepStrictEqual(Object.keys(others), row.fields ?? []),
  );
  return isKnown ? undefined : "the operation does not declare this error";
}

/** A SCIM error has no label of its own: its status and `scimType` identify it. */
function wrongScimError(
  operation: Route | undefined,
  status: number,
  error: Record<string, unknown>,
  headers: Headers,
): string | undefined {
  const { scimType, detail, code } = error;
  // A client that accepts only the SCIM content type gets nothing else.
  const ofInterface = code !== undefined && { code: status, label: scimErrorLabel, message: detail };
  const expected = { status: String(status), detail, ...ofInterface };
  const isComplete =
    typeof detail === "string" &&
    isDeepStrictEqual(error, scimType === undefined ? expected : { ...expected, scimType });
  if (!isComplete) return "not an error body of SCIM";
  // Without a label, the error of an unknown version would pass for that of an unknown resource.
  const names = possibleErrors(operation).filter(
    (name) => operation === undefined || name !== "unsupported-version",
  );
  const known: ErrorRow[] = names.map((name) => errorCatalogue[name]);
  const isKnown = known.some(
    (row) =>
      row.status === status &&
      row.scimType === scimType &&
      (row.hasRetryAfter || !headers.has("retry-after")),
  );
  return isKnown ? undefined : "the operation does not declare this error";
}

/** An error page has the label in its title. */
function wrongErrorPage(operation: Route | undefined, status: number, page: string): string | undefined {
  const label = /<title>[^<]*:error:([^<]*)<\/title>/.exec(page)?.[1];
  const known: ErrorRow[] = possibleErrors(operation).map((name) => errorCatalogue[name]);
  const isKnown = known.some((row) => row.status === status && row.label === label);
  return isKnown ? undefined : "the operation does not declare this error";
}

/** Errors of the operation, and those that any operation of its kind can return. */
function possibleErrors(operation: Route | undefined): ErrorName[] {
  if (operation === undefined)
    return ["no-such-route", "unsupported-version", "method-not-allowed", "bad-request"];
  return [
    ...operation.errors,
    ...impliedErrors(operation),
    "unsupported-version",
    "body-too-large",
    // While a test lets AWS fail.
    "service-unavailable",
    ...(operation.auth === "internal" ? (["no-such-route"] as const) : []),
  ];
}
