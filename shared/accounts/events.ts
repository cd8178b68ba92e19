import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import { supportedProtocols } from "./account.ts";
import { accentId, oldPictures, profileAssets } from "./profiles/profile-fields.ts";
import { selfProfile } from "./profiles/self-profile.ts";
import { ssoId } from "./profiles/sso-id.ts";

/** A user becomes activated. */
export const userActivate = defineEvent({
  type: "user.activate",
  summary: "Your account is activated",
  recipients: "self",
  schema: z.object({ user: selfProfile }),
});

const profile = z.object({
  id: z.uuid(),
  name: z.string().optional(),
  accent_id: accentId.optional(),
  assets: profileAssets.optional(),
  picture: oldPictures.optional().meta({ deprecated: true }),
  text_status: z.string().optional().meta({ description: "Short text about what the user is doing" }),
  handle: z.string().optional().meta({ description: "Without `@`" }),
  supported_protocols: supportedProtocols.optional(),
  team: z.uuid().optional().meta({ description: "Id of the team that the user joined" }),
  sso_id: ssoId.optional(),
  sso_id_deleted: z.boolean().meta({ description: "Whether the single sign-on identity was removed" }),
});

/** A profile changes, as others see it; only the changed fields are present. */
export const userUpdate = defineEvent({
  type: "user.update",
  summary: "A profile changes; only the changed fields are present",
  recipients: "contacts-and-team",
  schema: z.object({ user: profile }),
});

/** A user's locale or verified identity changes, which only the user may learn. */
export const userUpdatePrivately = defineEvent({
  type: "user.update",
  summary: "Your locale, email address or phone number changes",
  recipients: "self",
  schema: z.object({
    user: z.object({
      id: z.uuid(),
      locale: z.string().optional().meta({ description: "Language, or language and country: en, de-CH" }),
      email: z.string().optional(),
      phone: z.string().optional(),
    }),
  }),
});

/** A verified address or number is removed from your account. */
export const userIdentityRemove = defineEvent({
  type: "user.identity-remove",
  summary: "A verified email address or phone number is removed from your account",
  recipients: "self",
  schema: z.object({
    user: z
      .object({ id: z.uuid(), email: z.string().optional(), phone: z.string().optional() })
      .meta({ description: "With the address or number that was removed" }),
  }),
});

/** An account is deleted. */
export const userDelete = defineEvent({
  type: "user.delete",
  summary: "An account is deleted",
  recipients: "contacts",
  // Clients wait for this event after deleting their account.
  skipsOrigin: false,
  schema: z.object({ id: z.uuid(), qualified_id: qualifiedId }),
});
