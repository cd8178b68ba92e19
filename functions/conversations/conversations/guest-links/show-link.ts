import type { GuestLink } from "#shared/conversations/guest-link.ts";
import { type GuestLinkView, toGuestLinkView } from "#shared/conversations/guest-link-view.ts";
import type { Deps } from "../deps.ts";

/** A link with its code, for those who may see it. */
export const showLink = async (
  { config, guestLinkCodes, settings }: Pick<Deps, "config" | "guestLinkCodes" | "settings">,
  link: GuestLink,
): Promise<GuestLinkView> =>
  toGuestLinkView({ settings, publicUrl: config.publicUrl }, link, await guestLinkCodes.derive(link));
