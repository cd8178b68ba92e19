import type { EndpointRelease } from "#shared/events/push/endpoint-release.ts";
import { isInUse } from "#shared/events/push/is-in-use.ts";
import type { PushEndpoint } from "#shared/events/push/push-endpoint-store.ts";
import { retryStale, transact } from "#shared/platform/data/conditions.ts";
import type { Deps } from "./deps.ts";

/**
 * Take a user off the list of those who share an endpoint, and delete it with the last one. Nothing happens when the
 * user has registered the token again meanwhile. What belongs to an app that is no longer in the settings is left to SNS.
 * Safe to repeat.
 */
export async function releaseEndpoint(deps: Deps, release: EndpointRelease): Promise<void> {
  const claimed = await retryStale(() => leave(deps, release));
  if (claimed === undefined) return;
  const { endpointArn } = claimed;
  if (isInUse(deps.settings, endpointArn)) await deps.provider.deleteEndpoint(endpointArn);
  await deps.pushEndpoints.remove(claimed);
}

/** @returns the endpoint, claimed, if nobody uses it any more */
async function leave(
  { dynamo, pushEndpoints, pushTokens }: Deps,
  { userId, endpointArn }: EndpointRelease,
): Promise<PushEndpoint | undefined> {
  const endpoint = await pushEndpoints.get(endpointArn);
  if (endpoint.revision === 0) return undefined;
  // Read after the endpoint: whoever registers the token from here on changes the endpoint, too.
  const { tokens } = await pushTokens.get(userId);
  if (tokens.some((token) => token.endpointArn === endpointArn)) return undefined;
  const others = endpoint.userIds.filter((otherId) => otherId !== userId);
  if (others.length === 0) return pushEndpoints.claimForDeletion(endpoint);
  if (others.length < endpoint.userIds.length) await transact(dynamo, [pushEndpoints.put(endpoint, others)]);
  return undefined;
}
