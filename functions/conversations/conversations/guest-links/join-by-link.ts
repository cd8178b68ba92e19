import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { verifyPassword } from "#shared/accounts/credentials/password.ts";
import { announce } from "#shared/conversations/announce.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/conversation-member-join.ts";
import type { GuestLink } from "#shared/conversations/guest-link.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkSize } from "../common/check-size.ts";
import type { Deps } from "../deps.ts";
import { chargeLinkPassword } from "./charge-link-password.ts";
import { checkEntry, checkFeature } from "./check-link.ts";
import { findLink, type PresentedLink } from "./find-link.ts";
import { readFeature } from "./read-subject.ts";

interface Command {
  readonly actor: Actor;
  readonly presented: PresentedLink;
  readonly password?: string | undefined;
  readonly sourceIp: string;
}

/**
 * Join a conversation by its guest link, without a connection to anybody in it. A link that is removed meanwhile was used
 * either before that or not at all. In an MLS conversation the new member has no device in the group yet.
 *
 * @returns the event; undefined for a user who is a member
 * @throws ApiError `no-conversation-code`, `invalid-conversation-password`, `no-conversation`, `guest-links-disabled`,
 *   `access-denied`, `not-a-team-member`, `invalid-op`, `too-many-members`; the order of the checks is part of the
 *   interface
 * @throws RateLimitedError
 * @see operation `join-conversation-by-code-unqualified`
 */
export async function joinByLink(deps: Deps, { actor, presented, password, sourceIp }: Command) {
  const { accounts, conversations, guestLinks, settings } = deps;
  const { userId } = actor;
  const link = await findLink(deps, presented);
  const { conversationId } = link;
  await checkPassword(deps, link, { password, userId, sourceIp });

  return change(deps, async (attempt) => {
    const [found, feature, account] = await Promise.all([
      conversations.getPopulated(conversationId),
      readFeature(deps, link),
      accounts.get(userId),
      // A link never changes: if the code still opens one, it is the same.
      attempt > 1 && findLink(deps, presented),
    ]);
    if (found === undefined) throw new ApiError("no-conversation");
    const { conversation, members } = found;
    checkFeature(feature);
    checkEntry(conversation, account);
    if (conversation.type !== "regular") throw new ApiError("invalid-op");
    if (members.some((member) => member.userId === userId)) return { result: undefined };
    checkSize(conversation, 1, settings);

    const joining: ConversationMember = { conversationId, userId, role: "member" };
    const { next, writes } = conversations.change(conversation, { joining: [joining] });
    const { event, messages } = announce(deps, conversationMemberJoin, {
      conversation: next,
      actor,
      recipients: [...members, joining].map((member) => member.userId),
      data: joinData([joining], settings),
    });
    return {
      writes: [...writes, guestLinks.requireCurrent(link), accounts.requireNotDeleted(userId)],
      messages,
      result: event,
    };
  }).catch(answer(AccountNotFoundError, "access-denied"));
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
