import * as z from "zod";
import type { Settings } from "#shared/registry/settings.ts";
import { type GuestLink, guestLinkKey } from "./guest-link.ts";

/** Both parts of a link as clients send them. */
const guestLinkWord = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/, "letters, digits, - and _");

/** The query of a guest link. */
export const presentedLink = z.object({
  key: guestLinkWord.meta({ description: "`key` in the link" }),
  code: guestLinkWord.meta({ description: "`code` in the link" }),
});

/** A guest link as members see it. */
export const guestLinkView = z
  .object({
    key: guestLinkWord.meta({ description: "Key of the conversation" }),
    code: guestLinkWord.meta({ description: "Code of the link" }),
    uri: z.string().meta({ description: "The link" }),
    has_password: z.boolean().meta({ description: "Whether joining needs a password" }),
  })
  .meta({ id: "ConversationCodeInfo" });
export type GuestLinkView = z.infer<typeof guestLinkView>;

interface Context {
  readonly settings: Pick<Settings, "guestLinkUrl">;
  /** Base address of the public API, without trailing slash. */
  readonly publicUrl: string;
}

/** Shows a guest link to members. @param code derived from the link */
export function toGuestLinkView(
  { settings, publicUrl }: Context,
  { conversationId, passwordHash }: GuestLink,
  code: string,
): GuestLinkView {
  const key = guestLinkKey(conversationId);
  const address = new URL(settings.guestLinkUrl ?? `${publicUrl}/conversation-join/`);
  address.searchParams.set("key", key);
  address.searchParams.set("code", code);
  return { key, code, uri: address.href, has_password: passwordHash !== undefined };
}
