import { isDeepStrictEqual } from "node:util";
import { families } from "#functions/families.ts";
import { fallbackFamily, gatewayRoutes, resolveRoute } from "#lib/gateway-routes.ts";
import { type ErrorName, type ErrorRow, errorCatalogue } from "#shared/errors.ts";
import { impliedErrors, type Route, type RouteTable } from "#shared/http/route.ts";
import { Router } from "#shared/http/router.ts";
import { apiVersions } from "#shared/http/versions.ts";
import { parseSettings } from "#shared/settings.ts";

/** Every operation of every family. */
export const operations: RouteTable = Object.assign({}, ...families.map(({ routes }) => routes));

const versions = apiVersions(parseSettings({}));
const routers = new Map(families.map(({ name, routes }) => [name, new Router(routes, versions)]));
const gateway = gatewayRoutes(families, "internal");

interface Exchange {
  readonly method: string;
  /** As it was sent, without query. */
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/**
 * Hold an answer against the route tables: its status is declared, a success has exactly the declared fields, an error
 * is `{code, label, message}` with a label that the operation can have.
 */
export function checkContract({ method, path, status, body }: Exchange): void {
  const operation = findOperation(method, path);
  const isError =
    status >= 400 && (operation?.responses[status] === undefined || Object(body).label !== undefined);
  const problem = isError ? wrongError(operation, status, body) : wrongSuccess(operation, status, body);
  if (problem !== undefined && !(method === "HEAD" && body === "")) {
    throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(body)}: ${problem}`);
  }
}

/** Of the family that the gateway leads to: another one may have a path that looks alike. */
function findOperation(method: string, path: string): Route | undefined {
  const router = routers.get(resolveRoute(gateway, path)?.family ?? fallbackFamily);
  try {
    return router?.match(method, path, { isInternal: true }).route;
  } catch {
    return undefined;
  }
}

function wrongSuccess(operation: Route | undefined, status: number, body: unknown): string | undefined {
  const declared = operation?.responses[status];
  if (declared === undefined) return "the status is not declared";
  if (declared === null) return body === "" ? undefined : "no body is declared";
  if (!("parse" in declared)) return typeof body === "string" ? undefined : "a text is declared";
  const { success, data, error } = declared.safeParse(body === "" ? undefined : body);
  if (!success) return `the body is not as declared: ${error.message}`;
  return body === "" || isDeepStrictEqual(data, body)
    ? undefined
    : "the body has fields that are not declared";
}

function wrongError(operation: Route | undefined, status: number, body: unknown): string | undefined {
  const { code, label, message, ...others } = Object(body);
  const isComplete = code === status && typeof label === "string" && typeof message === "string";
  if (!isComplete) return "not an error body";
  const known: ErrorRow[] = possibleErrors(operation).map((name) => errorCatalogue[name]);
  const isKnown = known.some(
    (row) =>
      row.status === status &&
      row.label === label &&
      isDeepStrictEqual(Object.keys(others), row.fields ?? []),
  );
  return isKnown ? undefined : "the operation does not declare this error";
}

/** Errors of the operation, and those that every operation of its kind has. */
function possibleErrors(operation: Route | undefined): ErrorName[] {
  if (operation === undefined)
    return ["no-such-route", "unsupported-version", "method-not-allowed", "bad-request"];
  return [
    ...operation.errors,
    ...impliedErrors(operation),
    "unsupported-version",
    "body-too-large",
    ...(operation.auth === "internal" ? (["no-such-route"] as const) : []),
  ];
}
