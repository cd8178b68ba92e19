import type { APIGatewayProxyEventV2WithIAMAuthorizer } from "aws-lambda";
import { type HttpEvent, isInternalRequest } from "../http/request.ts";
import { eventOf, type Input, type Principal, type Route } from "../http/route.ts";
import type { MatchedRoute } from "../http/router.ts";
import { networkOf } from "../rate-limit/network.ts";
import type { AuditedRequest } from "./audited.ts";

/** Most characters of an id in a record. */
const maxLength = 200;

type Known = Pick<Input<Route>, "params" | "requestId" | "sourceIp"> & {
  readonly actor: Principal | undefined;
};

/** What the audit trail says of what a request changes; undefined if nothing. */
export function toAuditedRequest(
  event: HttpEvent,
  { operationId, route }: Pick<MatchedRoute, "operationId" | "route">,
  { actor, params, requestId, sourceIp }: Known,
): AuditedRequest | undefined {
  const { audit } = route;
  const name = audit && eventOf(audit);
  if (name === undefined) return undefined;
  const target = targetOf(route, params ?? {});
  const isInternal = isInternalRequest(event);
  // A user may name any team in a path: the account says whose record it is.
  const isUser = !isInternal && actor !== undefined && "userId" in actor;
  const team =
    actor !== undefined && "teamId" in actor
      ? actor.teamId
      : isUser
        ? undefined
        : (target.tid ?? target.team);
  const who = isInternal ? operatorOf(event, actor) : actorOf(actor);
  return {
    event: name,
    operation: operationId,
    actor: who,
    target,
    network: networkOf(sourceIp),
    requestId,
    ...(team !== undefined && { team }),
  };
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

/** A caller of the internal API, and on whose behalf. */
function operatorOf(event: HttpEvent, actor: Principal | undefined): Record<string, string> {
  const { requestContext } = event as APIGatewayProxyEventV2WithIAMAuthorizer;
  return {
    kind: "operator",
    principal: requestContext.authorizer.iam.userArn,
    ...(actor !== undefined && "userId" in actor && { user: actor.userId }),
  };
}
