import * as z from "zod";
import { supportedProtocols } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { accentId, newAssets, newOldPicture, textStatus } from "#shared/accounts/profiles/profile-fields.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

export const userUpdate = z
  .object({
    name: z.string().min(1).max(128).optional(),
    text_status: textStatus.nullish().meta({
      description: "Short text about what the user is doing; null changes nothing",
    }),
    picture: newOldPicture.optional(),
    accent_id: accentId.optional(),
    assets: newAssets.optional(),
  })
  .meta({
    id: "UserUpdate",
    description: "Absent fields stay as they are",
    examples: [{ name: "Ada Lovelace", accent_id: 3 }],
  });

export const localeUpdate = z.object({ locale: accountTypes.locale }).meta({
  id: "LocaleUpdate",
  examples: [{ locale: "de-CH" }],
});

export const handleUpdate = z
  .object({
    handle: z.string().meta({
      description:
        "2 to 256 of `a`–`z`, `0`–`9`, `_`, `.`, `-`, with a letter or digit, and no reserved word",
    }),
  })
  .meta({ id: "HandleUpdate", examples: [{ handle: "ada.lovelace" }] });

export const supportedProtocolUpdate = z
  .object({ supported_protocols: supportedProtocols })
  .meta({ id: "SupportedProtocolUpdate", examples: [{ supported_protocols: ["proteus", "mls"] }] });

export const passwordChange = z
  .object({
    old_password: accountTypes.password
      .optional()
      .meta({ description: "The current password; absent if there is none" }),
    new_password: accountTypes.newPassword,
  })
  .meta({
    id: "PasswordChange",
    examples: [{ old_password: "correct horse battery", new_password: "another horse battery" }],
  });

export const userPath = z.object({ uid: wire.userId });

export const emailUpdate = z.object({ email: accountTypes.email }).meta({
  id: "EmailUpdate",
  examples: [{ email: "ada.lovelace@example.com" }],
});

export const phoneUpdate = z.object({ phone: accountTypes.phone }).meta({
  id: "PhoneUpdate",
  examples: [{ phone: "+4930123456" }],
});

export const identityRemoval = z
  .object({
    verification_code: accountTypes.verificationCode
      .optional()
      .meta({ description: "Second-factor code for `login`, where one is required" }),
  })
  .meta({ id: "IdentityRemoval", examples: [{ verification_code: "123456" }] })
  .optional();

export const emailActivation = z.object({
  email_activation: z.enum(["send_activation_email", "auto_activate"]).optional().meta({
    description: "Whether a code must confirm the address, which is the default, or it changes immediately",
  }),
  activate: wire.queryFlag
    .default(false)
    .meta({ description: "Older form of `email_activation`: true is `auto_activate`", deprecated: true }),
  validate: wire.queryFlag
    .optional()
    .meta({ description: "Has no effect: a code is the default", deprecated: true }),
});

export const namedUser = z.object({ "Z-User": wire.userId });

export const deleteSelf = z
  .object({ password: accountTypes.password.optional() })
  .meta({ id: "PasswordConfirmation", examples: [{ password: "correct horse battery" }] });

export const deletionTimeout = z
  .object({ expires_in: z.int32().meta({ description: "Lifetime of the code in seconds" }) })
  .meta({ id: "DeletionCodeTimeout" });

/** Query of the link in the message. */
export const deletionLink = z.object({
  key: accountTypes.codeKey.meta({ description: "Opaque key from the message" }),
  code: z.string().meta({ description: "Code from the message" }),
});
export const confirmDeletion = deletionLink.meta({
  id: "VerifyDeleteUser",
  examples: [{ key: "M2vY8rQm0bXk5TzN1cWs", code: "qYk3v9Wb7mXe2LsZ4tRn" }],
});
