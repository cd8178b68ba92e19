import { randomUUID } from "node:crypto";
import type * as z from "zod";
import { hashPassword } from "#shared/accounts/credentials/password.ts";
import { announce } from "#shared/conversations/announce.ts";
import { conversationCodeUpdate } from "#shared/conversations/events/settings.ts";
import type { GuestLink } from "#shared/conversations/guest-link.ts";
import type { GuestLinkView } from "#shared/conversations/guest-link-view.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { checkAdmin, checkAdmitsGuests, checkFeature, requireRights } from "./check-link.ts";
import { showLink } from "./get-guest-link.ts";
import { chargeLinkPassword } from "./presented-link.ts";
import { readSubjectForChange } from "./read-subject.ts";

interface Command {
  readonly actor: Actor;
  readonly conversationId: string;
  readonly password?: string | undefined;
  readonly sourceIp: string;
}

/** The event of a new link, or the existing link. */
type Outcome =
  | { readonly event: z.input<typeof conversationCodeUpdate.schema> & { readonly type: string } }
  | { readonly link: GuestLinkView };

/**
 * Create the guest link of a conversation, unless it has one.
 *
 * @throws ApiError `no-conversation`, `guest-links-disabled`, `access-denied`, `create-conv-code-conflict`; the order of
 *   the checks is part of the interface
 * @throws RateLimitedError
 * @see operations `create-conversation-code-unqualified`, `create-conversation-code-unqualified-v0`
 */
export async function createGuestLink(
  deps: Deps,
  { actor, conversationId, password, sourceIp }: Command,
): Promise<Outcome> {
  const { clock, conversations, guestLinks, settings } = deps;
  const { userId } = actor;
  let passwordHash: string | undefined;

  return change<Outcome>(deps, async () => {
    const subject = await readSubjectForChange(deps, { userId, conversationId });
    const { conversation, members, link: existing } = subject;
    checkFeature(subject.feature);
    checkAdmin(subject);
    checkAdmitsGuests(conversation);
    if (existing !== undefined) {
      if (existing.passwordHash !== undefined || password !== undefined)
        throw new ApiError("create-conv-code-conflict");
      return { result: { link: await showLink(deps, existing) } };
    }

    if (password !== undefined && passwordHash === undefined) {
      await chargeLinkPassword(deps, { userId, sourceIp });
      passwordHash = await hashPassword(password, settings.setPasswordHashingOptions);
    }
    const link: GuestLink = {
      conversationId,
      teamId: conversation.teamId,
      linkId: randomUUID(),
      passwordHash,
      expiresAt: clock() + settings.guestLinkTTLSeconds * 1000,
    };
    const { next, writes } = conversations.change(conversation, {});
    const { event, messages } = announce(deps, conversationCodeUpdate, {
      conversation: next,
      actor,
      recipients: members,
      data: await showLink(deps, link),
    });
    return {
      writes: [...writes, guestLinks.create(link), ...requireRights(deps, subject)],
      messages,
      result: { event },
    };
  });
}
