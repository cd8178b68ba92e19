import { ApiError } from "#shared/platform/http/api-error.ts";
import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import type { Deps } from "../deps.ts";
import { findLink, type PresentedLink } from "./find-link.ts";
import { readFeature } from "./read-subject.ts";

/**
 * Check that a link leads to a conversation, for a caller who may have no account yet.
 *
 * @throws ApiError `no-conversation-code`, also while the team has no guest links
 * @throws RateLimitedError
 * @see operation `code-check`
 */
export async function checkPresentedLink(
  deps: Deps,
  { sourceIp, ...presented }: PresentedLink & { sourceIp: string },
): Promise<void> {
  const { rateLimiter, settings } = deps;
  const bucket = networkBucket("guest-link-check", sourceIp);
  await rateLimiter.take(bucket, settings.setGuestLinkCheckRateLimit);
  const link = await findLink(deps, presented);
  const [conversation, { status }] = await Promise.all([
    deps.conversations.get(link.conversationId),
    readFeature(deps, link),
  ]);
  if (conversation === undefined || status !== "enabled") throw new ApiError("no-conversation-code");
}
