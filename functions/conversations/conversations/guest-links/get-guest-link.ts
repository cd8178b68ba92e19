import type { GuestLink } from "#shared/conversations/guest-link.ts";
import { type GuestLinkView, toGuestLinkView } from "#shared/conversations/guest-link-view.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { checkCodeAccess, checkFeature } from "./check-link.ts";
import { readSubject } from "./read-subject.ts";

/**
 * Show the guest link of a conversation to a member.
 *
 * @throws ApiError `no-conversation`, `guest-links-disabled`, `access-denied`, `no-conversation-code`; the order of the
 *   checks is part of the interface
 * @see operation `get-code`
 */
export async function getGuestLink(
  deps: Deps,
  reader: { userId: string; conversationId: string },
): Promise<GuestLinkView> {
  const { conversation, feature, link, self } = await readSubject(deps, reader);
  checkFeature(feature);
  checkCodeAccess(conversation);
  if (self === undefined) throw new ApiError("no-conversation");
  if (link === undefined) throw new ApiError("no-conversation-code");
  return showLink(deps, link);
}

/** A link with its code, for those who may see it. */
export const showLink = async (
  { config, guestLinkCodes, settings }: Pick<Deps, "config" | "guestLinkCodes" | "settings">,
  link: GuestLink,
): Promise<GuestLinkView> =>
  toGuestLinkView({ settings, publicUrl: config.publicUrl }, link, await guestLinkCodes.derive(link));
