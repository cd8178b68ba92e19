import type { Conversation } from "#shared/conversations/conversation.ts";
import type { GuestLink } from "#shared/conversations/guest-link.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import type { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { checkJoiner } from "../join.ts";
import { checkCodeAccess, checkFeature } from "./check-link.ts";
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

/**
 * Show the conversation to which a link leads, to a user who could join it.
 *
 * @throws ApiError `no-conversation-code`, `no-conversation`, `access-denied`, `not-a-team-member`,
 *   `guest-links-disabled`; the order of the checks is part of the interface
 * @see operation `get-conversation-by-reusable-code`
 */
export async function previewConversation(
  deps: Deps,
  { userId, ...presented }: PresentedLink & { userId: string },
): Promise<{ conversation: Conversation; hasPassword: boolean }> {
  const link = await findLink(deps, presented);
  const [conversation, feature, account] = await Promise.all([
    deps.conversations.get(link.conversationId),
    readFeature(deps, link),
    deps.accounts.get(userId),
  ]);
  if (conversation === undefined) throw new ApiError("no-conversation");
  checkCodeAccess(conversation);
  checkJoiner(conversation, account, deps.clock());
  checkFeature(feature);
  return { conversation, hasPassword: link.passwordHash !== undefined };
}

/** The parts of a guest link. */
export interface PresentedLink {
  readonly key: string;
  readonly code: string;
}

/**
 * Find a presented link. A link that is unknown, expired or has a wrong code gets the same answer in the same time.
 *
 * @throws ApiError `no-conversation-code`
 */
export async function findLink(
  { guestLinkCodes, guestLinks }: Pick<Deps, "guestLinkCodes" | "guestLinks">,
  { key, code }: PresentedLink,
): Promise<GuestLink> {
  const link = await guestLinks.get(key);
  const isRight = await guestLinkCodes.matches(code, link);
  if (link === undefined || !isRight) throw new ApiError("no-conversation-code");
  return link;
}

/**
 * Charge one password check of a guest link to the user and the network. Its buckets are not those of logins: guesses
 * at a link must not cost the user a login, nor the reverse.
 *
 * @throws RateLimitedError
 */
export async function chargeLinkPassword(
  { rateLimiter, settings }: { readonly rateLimiter: RateLimiter; readonly settings: Settings },
  { userId, sourceIp }: { readonly userId: string; readonly sourceIp: string },
): Promise<void> {
  const { perUser, perNetwork } = settings.setPasswordHashingRateLimit;
  const scope = "guest-link-password";
  await rateLimiter.take(`${scope}#${userId}`, perUser);
  // Only now, so that refused attempts of one user do not use up the budget of others in the same network.
  await rateLimiter.take(networkBucket(scope, sourceIp), perNetwork);
}
