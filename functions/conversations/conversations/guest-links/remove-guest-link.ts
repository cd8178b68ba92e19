import { announce } from "#shared/conversations/announce.ts";
import { conversationCodeDelete } from "#shared/conversations/events/settings.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { checkAdmin, checkAdmitsGuests, requireRights } from "./check-link.ts";
import { readSubjectForChange } from "./read-subject.ts";

/**
 * Remove the guest link of a conversation, and tell its members even if there was none.
 *
 * @returns the event
 * @throws ApiError `no-conversation`, `access-denied`
 * @see operation `remove-code-unqualified`
 */
export async function removeGuestLink(
  deps: Deps,
  { actor, conversationId }: { actor: Actor; conversationId: string },
) {
  const { conversations, guestLinks } = deps;
  return change(deps, async () => {
    const subject = await readSubjectForChange(deps, { userId: actor.userId, conversationId });
    const { conversation, members } = subject;
    checkAdmin(subject);
    checkAdmitsGuests(conversation);
    const { next, writes } = conversations.change(conversation, {});
    const { event, messages } = announce(deps, conversationCodeDelete, {
      conversation: next,
      actor,
      recipients: members,
      data: null,
    });
    return {
      writes: [...writes, guestLinks.removeOf(conversationId), ...requireRights(deps, subject)],
      messages,
      result: event,
    };
  });
}
