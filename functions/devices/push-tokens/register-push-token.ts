import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { releaseEndpoints } from "#shared/events/push/endpoint-release.ts";
import {
  ProviderBusyError,
  PushTokenRejectedError,
  UnknownApplicationError,
} from "#shared/events/push/push-provider.ts";
import { bytesOf, type PushToken, type PushTokens } from "#shared/events/push/push-token.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "./deps.ts";
import type { NewPushToken } from "./routes.ts";

type Request = Pick<PushToken, "transport" | "app" | "token" | "clientId">;

/** Limit on the size of all tokens of a user, because every delivery to the user reads them. */
const maxTokenBytes = 32 * 1024;
/** Users who may share an endpoint: existing servers keep their ids in 2048 bytes of the endpoint itself. */
const maxEndpointUsers = 55;
/** A token registered this recently is not written again. */
const refreshMilliseconds = 60_000;

/** The endpoint was deleted while a user joined it. */
class EndpointVanishedError extends StaleReadError {
  override readonly name = "EndpointVanishedError";
}

/** The endpoint is being deleted: its last user has just left. */
class EndpointBusyError extends StaleReadError {
  override readonly name = "EndpointBusyError";
}

/**
 * Register a push token of a user, or refresh it. It replaces the device's token for the same app and, at the limit,
 * the user's oldest tokens.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @throws RateLimitedError
 * @see operation `register-push-token`
 */
export async function registerPushToken(deps: Deps, userId: string, body: NewPushToken): Promise<PushToken> {
  const request = accepted(body);
  const applicationArn = applicationOf(deps.settings, request);
  await deps.rateLimiter.take(`push-tokens#${userId}`, deps.settings.setPushTokenRateLimit);
  return change(deps, async () => {
    const own = await deps.pushTokens.get(userId);
    const { endpointArn, writes: joining } = await join(deps, own, { request, applicationArn });
    const token: PushToken = { ...request, endpointArn, registeredAt: deps.clock() };
    const present = own.tokens.find((other) => isSame(other, token));
    if (present !== undefined && joining.length === 0 && isRecent(present, token)) return { result: present };
    const tokens = withinLimits(
      [...own.tokens.filter((other) => !isReplaced(other, token)), token],
      deps.settings,
    );
    const dropped = own.tokens.filter(
      (other) => other.endpointArn !== endpointArn && !tokens.includes(other),
    );
    return {
      writes: [...deps.pushTokens.put(own, tokens), ...joining, deps.accounts.requireNotDeleted(userId)],
      messages: releaseEndpoints(deps.outbox, userId, dropped),
      result: token,
    };
  })
    .catch(answer(AccountNotFoundError, "push-token-rejected"))
    .catch(answer(UnknownApplicationError, "app-not-found"))
    .catch(answer(PushTokenRejectedError, "push-token-rejected"))
    .catch(answer(EndpointVanishedError, "push-token-rejected"))
    .catch(answer(EndpointBusyError, "sns-thread-budget-reached"))
    .catch(answer(ProviderBusyError, "sns-thread-budget-reached"));
}

/** Longest tokens of the providers. */
const maxLengths = { GCM: 8192, APNS: 400, APNS_SANDBOX: 400 } as const;

function accepted({ transport, app, token, client }: NewPushToken): Request {
  if (transport === "APNS_VOIP" || transport === "APNS_VOIP_SANDBOX") {
    throw new ApiError("apns-voip-not-supported");
  }
  // Tokens are printable ASCII without spaces, and this one is sent as a header.
  if (!/^[!-~]*$/.test(token)) throw new ApiError("push-token-rejected");
  if (token.length > maxLengths[transport]) throw new ApiError("token-too-long");
  if (token === "") throw new ApiError("push-token-rejected");
  return { transport, app, token, clientId: client };
}

/** @returns undefined when the operator has configured no apps at all: tokens are then kept for later */
function applicationOf({ pushApplications }: Settings, { transport, app }: Request): string | undefined {
  if (pushApplications.length === 0) return undefined;
  const application = pushApplications.find((one) => one.transport === transport && one.app === app);
  if (application === undefined) throw new ApiError("app-not-found");
  return application.arn;
}

/** Creates or finds the endpoint of a token, and decides how the user joins it. */
async function join(
  { provider, pushEndpoints }: Deps,
  { userId, tokens }: PushTokens,
  { request, applicationArn }: { request: Request; applicationArn: string | undefined },
): Promise<{ endpointArn?: string; writes: Write[] }> {
  if (applicationArn === undefined) return { writes: [] };
  const { token } = request;
  const endpointArn = await provider.createEndpoint(applicationArn, token);
  const endpoint = await pushEndpoints.get(endpointArn);
  if (pushEndpoints.isBeingDeleted(endpoint)) throw new EndpointBusyError(endpointArn);
  // Read only now: an endpoint is claimed before it is deleted, and from here on a claim makes the commit fail.
  if (!(await provider.enableEndpoint(endpointArn, token))) throw new EndpointVanishedError(endpointArn);
  const others = endpoint.userIds.filter((otherId) => otherId !== userId);
  const isMember = others.length < endpoint.userIds.length;
  if (!isMember && others.length >= maxEndpointUsers) throw new ApiError("metadata-too-long");
  // Also if an earlier removal is about to take the user off the endpoint: see `releaseEndpoint`.
  const isNew = !isMember || !tokens.some((token) => token.endpointArn === endpointArn);
  return { endpointArn, writes: isNew ? [pushEndpoints.put(endpoint, [...others, userId])] : [] };
}

const isSameToken = (one: Request, other: Request) =>
  one.transport === other.transport && one.app === other.app && one.token === other.token;

const isSame = (one: PushToken, other: PushToken) =>
  isSameToken(one, other) && one.clientId === other.clientId && one.endpointArn === other.endpointArn;

const isRecent = (present: PushToken, { registeredAt }: PushToken) =>
  registeredAt - present.registeredAt < refreshMilliseconds;

/** A device has one token per app, and a token belongs to one device. */
const isReplaced = (other: PushToken, token: PushToken) =>
  isSameToken(other, token) ||
  (other.transport === token.transport && other.app === token.app && other.clientId === token.clientId);

/** Drops the oldest tokens over the limit, but never the last one. */
function withinLimits(tokens: readonly PushToken[], { setUserMaxPushTokens }: Settings): PushToken[] {
  const kept: PushToken[] = [];
  let bytes = 0;
  for (const token of tokens.toReversed()) {
    bytes += bytesOf(token);
    if (kept.length === setUserMaxPushTokens || (kept.length > 0 && bytes > maxTokenBytes)) break;
    kept.unshift(token);
  }
  return kept;
}
