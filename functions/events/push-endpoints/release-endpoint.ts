import type { EndpointRelease } from "#shared/events/push/endpoint-release.ts";
import { isInUse } from "#shared/events/push/is-in-use.ts";
import type { PushEndpoint } from "#shared/events/push/push-endpoint-store.ts";
import { retryStale, transact } from "#shared/platform/data/conditions.ts";
import type { Deps } from "./deps.ts";

/**
 * Remove a user from an endpoint, and delete the endpoint with its last user. Does nothing when the user has registered
 * the token again meanwhile. Leaves endpoints of apps that are no longer in the settings to SNS. Safe to repeat.
 */
export async function releaseEndpoint(deps: Deps, release: EndpointRelease): Promise<void> {
  const claimed = await retryStale(() => leave(deps, release));
  if (claimed === undefined) return;
  const { endpointArn } = claimed;
  if (isInUse(deps.settings, endpointArn)) await deps.provider.deleteEndpoint(endpointArn);
  await deps.pushEndpoints.remove(claimed);
}

/** @returns the endpoint, which is now claimed, if nobody uses it any more */
async function leave(
  { dynamo, pushEndpoints, pushTokens }: Deps,
  { userId, endpointArn }: EndpointRelease,
): Promise<PushEndpoint | undefined> {
  const endpoint = await pushEndpoints.get(endpointArn);
  if (endpoint.revision === 0) return undefined;
  // Read after the endpoint, because registering the token from here on also changes the endpoint.
  const { tokens } = await pushTokens.get(userId);
  if (tokens.some((token) => token.endpointArn === endpointArn)) return undefined;
  const others = endpoint.userIds.filter((otherId) => otherId !== userId);
  if (others.length === 0) return pushEndpoints.claimForDeletion(endpoint);
  if (others.length < endpoint.userIds.length) await transact(dynamo, [pushEndpoints.put(endpoint, others)]);
  return undefined;
}
