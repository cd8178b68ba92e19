import { verifyPassword } from "#shared/accounts/credentials/password.ts";
import { announce } from "#shared/conversations/announce.ts";
import { conversationCodeDelete } from "#shared/conversations/events/settings.ts";
import type { GuestLink } from "#shared/conversations/guest-link.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { toFeatureView } from "#shared/teams/features/feature-view.ts";
import { eventReply } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { joinConversation } from "../join.ts";
import { checkAdmin, checkAdmitsGuests, checkCodeAccess, checkFeature, requireRights } from "./check-link.ts";
import { createGuestLink } from "./create-guest-link.ts";
import { getGuestLink } from "./get-guest-link.ts";
import {
  chargeLinkPassword,
  checkPresentedLink,
  findLink,
  type PresentedLink,
  previewConversation,
} from "./presented-link.ts";
import { readFeature, readSubject, readSubjectForChange } from "./read-subject.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "create-conversation-code-unqualified": async ({ actor, params, body: { password }, sourceIp }) => {
      const outcome = await createGuestLink(deps, { actor, conversationId: params.cid, password, sourceIp });
      return "event" in outcome ? { status: 201, body: outcome.event } : { status: 200, body: outcome.link };
    },

    "get-code": async ({ actor: { userId }, params }) => ({
      body: await getGuestLink(deps, { userId, conversationId: params.cid }),
    }),

    "remove-code-unqualified": async ({ actor, params }) => ({
      body: await removeGuestLink(deps, { actor, conversationId: params.cid }),
    }),

    "get-conversation-guest-links-status": async ({ actor: { userId }, params }) => {
      const subject = await readSubject(deps, { userId, conversationId: params.cid });
      checkAdmin(subject);
      return { body: toFeatureView(subject.feature) };
    },

    "join-conversation-by-code-unqualified": async ({ actor, body: { key, code, password }, sourceIp }) => {
      const event = await joinByLink(deps, { actor, presented: { key, code }, password, sourceIp });
      return eventReply(event);
    },

    "get-conversation-by-reusable-code": async ({ actor: { userId }, query: { key, code } }) => {
      const { conversation, hasPassword } = await previewConversation(deps, { userId, key, code });
      const { conversationId: id, name } = conversation;
      return { body: { id, name, has_password: hasPassword } };
    },

    "code-check": async ({ body: { key, code }, sourceIp }) => {
      await checkPresentedLink(deps, { key, code, sourceIp });
      return {};
    },
  };
}

/**
 * Remove the guest link of a conversation, and tell its members even if there was none.
 *
 * @returns the event
 * @throws ApiError `no-conversation`, `access-denied`
 * @see operation `remove-code-unqualified`
 */
async function removeGuestLink(
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
async function joinByLink(deps: Deps, { actor, presented, password, sourceIp }: Command) {
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
