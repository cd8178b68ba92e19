import type { GuestLinkView } from "#shared/conversations/guest-link-view.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { checkCodeAccess, checkFeature } from "./check-link.ts";
import { readSubject } from "./read-subject.ts";
import { showLink } from "./show-link.ts";

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
