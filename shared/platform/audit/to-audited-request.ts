import type { APIGatewayProxyEventV2WithIAMAuthorizer } from "aws-lambda";
import { type HttpEvent, isInternalRequest } from "../http/request.ts";
import { auditOf, type Input, type Principal, type Route } from "../http/route.ts";
import type { MatchedRoute } from "../http/router.ts";
import { networkOf } from "../rate-limit/network.ts";
import type { AuditedRequest } from "./audit-scope.ts";
import type { AuditMode } from "./audited.ts";

/** Maximum number of characters of an id in a record. */
const maxLength = 200;

type Known = Pick<Input<Route>, "params" | "requestId" | "sourceIp"> & {
  readonly actor: Principal | undefined;
  readonly query?: unknown;
};

/** Parameters that only choose a part of a list. */
const paging: ReadonlySet<string> = new Set([
  "size",
  "start",
  "from",
  "to",
  "limit",
  "maxResults",
  "pagingState",
]);

/** Parameters by which a person is looked up; no record has their values in clear. */
const personal: ReadonlySet<string> = new Set(["email", "phone", "handles", "name_id", "external_id", "q"]);

/**
 * The record for the changes or reads of a request; undefined if it is not recorded.
 * @param markOf returns the form of an address for records
 */
export function toAuditedRequest(
  event: HttpEvent,
  { operationId, route }: Pick<MatchedRoute, "operationId" | "route">,
  { actor, params, query, requestId, sourceIp }: Known,
  markOf: (address: string) => string,
): { readonly request: AuditedRequest; readonly mode: AuditMode } | undefined {
  const isInternal = isInternalRequest(event);
  const audit = auditOf(route, isInternal);
  if (audit === undefined) return undefined;
  const isAsked = isInternal && audit.mode === "reads";
  const target = { ...(isAsked && askedOf(query, markOf)), ...targetOf(route, params ?? {}) };
  // A user may name any team in a path, so the account decides the team of the record.
  const isUser = !isInternal && actor !== undefined && "userId" in actor;
  const team =
    actor !== undefined && "teamId" in actor
      ? actor.teamId
      : isUser
        ? undefined
        : (target.tid ?? target.team);
  const who = isInternal ? operatorOf(event, actor) : actorOf(actor);
  const request = {
    event: audit.event,
    operation: operationId,
    actor: who,
    target,
    network: networkOf(sourceIp),
    requestId,
    ...(team !== undefined && { team }),
    ...(isInternal && commandOf(event)),
  };
  return { request, mode: audit.mode };
}

/** The targets that the query of a read names. */
function askedOf(query: unknown, markOf: (address: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(query)).flatMap(([name, value]) => {
      if (value === undefined || value === "" || paging.has(name)) return [];
      const key = name === "user_id" ? "uid" : name;
      const text = [value]
        .flat()
        .map((one) => (personal.has(name) ? markOf(`${one}`.toLowerCase()) : `${one}`));
      // Lists are not cut, because each of their users must find the record.
      return [[key, text.map((one) => one.slice(0, maxLength)).join(" ")]];
    }),
  );
}

/** Ids in the path, none of which is secret. */
function targetOf({ endsInSecret, path }: Route, params: object): Record<string, string> {
  const secret = endsInSecret ? /\{([^{}]+)\}[^{}]*$/.exec(path)?.[1] : undefined;
  return Object.fromEntries(
    Object.entries(params)
      .filter(([name]) => name !== secret)
      .map(([name, value]) => [name, String(value).slice(0, maxLength)]),
  );
}

function actorOf(actor: Principal | undefined): Record<string, string> {
  if (actor === undefined) return { kind: "anybody" };
  if ("botId" in actor) return { kind: "bot", bot: actor.botId, provider: actor.providerId };
  if ("providerId" in actor) return { kind: "provider", provider: actor.providerId };
  if ("tokenId" in actor) return { kind: "directory", token: actor.tokenId };
  const { userId, clientId, appId } = actor;
  return {
    kind: appId === undefined ? "user" : "app",
    user: userId,
    ...(clientId !== undefined && { device: clientId }),
    ...(appId !== undefined && { app: appId }),
  };
}

const commandPattern = /^([\da-f-]{36}) ([a-z][a-z -]{0,59})$/;

/** The command to which a request of the internal API claims to belong. */
function commandOf({ headers }: HttpEvent): Pick<AuditedRequest, "command"> {
  const [, id, name] = commandPattern.exec(headers["x-command"] ?? "") ?? [];
  return id === undefined || name === undefined ? {} : { command: { name, id } };
}

const idPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A caller of the internal API, and the user for whom it acts. */
function operatorOf(event: HttpEvent, actor: Principal | undefined): Record<string, string> {
  const { headers, requestContext } = event as APIGatewayProxyEventV2WithIAMAuthorizer;
  // Some operations evaluate this header themselves.
  const { "z-user": named = "" } = headers;
  const user = actor !== undefined && "userId" in actor ? actor.userId : named.toLowerCase();
  return {
    kind: "operator",
    principal: requestContext.authorizer.iam.userArn,
    ...(idPattern.test(user) && { user }),
  };
}
