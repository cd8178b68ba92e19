import { verifyPassword } from "#shared/accounts/credentials/password.ts";
import type { GuestLink } from "#shared/conversations/guest-link.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { joinConversation } from "../join.ts";
import { chargeLinkPassword } from "./charge-link-password.ts";
import { checkCodeAccess, checkFeature } from "./check-link.ts";
import { findLink, type PresentedLink } from "./presented-link.ts";
import { readFeature } from "./read-subject.ts";

interface Command {
  readonly actor: Actor;
  readonly presented: PresentedLink;
  readonly password?: string | undefined;
  readonly sourceIp: string;
}

/**
 * Join a conversation by its guest link, without a connection to anybody in it. If the link is removed concurrently, it
 * is used either before that or not at all. In an MLS conversation, the new member has no device in the group yet.
 *
 * @returns the event; undefined for a user who is already a member
 * @throws ApiError `no-conversation-code`, `invalid-conversation-password`, `guest-links-disabled`, and those of
 *   `joinConversation`; the order of the checks is part of the interface
 * @throws RateLimitedError
 * @see operation `join-conversation-by-code-unqualified`
 */
export async function joinByLink(deps: Deps, { actor, presented, password, sourceIp }: Command) {
  const link = await findLink(deps, presented);
  await checkPassword(deps, link, { password, userId: actor.userId, sourceIp });

  const { conversationId } = link;
  return joinConversation(deps, { actor, conversationId }, async (attempt) => {
    const [feature] = await Promise.all([
      readFeature(deps, link),
      // Links never change: if the code still leads to one, it is the same link.
      attempt > 1 && findLink(deps, presented),
    ]);
    return {
      check: (conversation) => {
        checkFeature(feature);
        checkCodeAccess(conversation);
      },
      conditions: [deps.guestLinks.requireCurrent(link)],
    };
  });
}

/** @throws ApiError `invalid-conversation-password` @throws RateLimitedError */
async function checkPassword(
  deps: Pick<Deps, "rateLimiter" | "settings">,
  { passwordHash }: GuestLink,
  { password, ...caller }: { password: string | undefined; userId: string; sourceIp: string },
): Promise<void> {
  if (passwordHash === undefined) return;
  if (password === undefined) throw new ApiError("invalid-conversation-password");
  await chargeLinkPassword(deps, caller);
  if (!(await verifyPassword(password, passwordHash))) throw new ApiError("invalid-conversation-password");
}
