import type { GuestLink } from "#shared/conversations/guest-link.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

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
