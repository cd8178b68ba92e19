import type { GuestLink } from "#shared/conversations/guest-link.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/** What a guest link consists of. */
export interface PresentedLink {
  readonly key: string;
  readonly code: string;
}

/**
 * Find the link that somebody presents. One that is unknown, expired or has another code is answered in the same way and
 * in the same time.
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
