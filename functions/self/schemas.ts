import * as z from "zod";
import { supportedProtocols, userAsset } from "#shared/data/account/account.ts";
import * as primitives from "#shared/schemas/primitives.ts";

export const userUpdate = z
  .object({
    name: z.string().min(1).max(128).optional(),
    text_status: z.string().min(1).max(256).nullish(),
    picture: z.array(z.record(z.string(), z.unknown())).max(10).optional(),
    accent_id: z.int32().optional(),
    assets: z.array(userAsset).max(10).optional(),
  })
  .meta({ id: "UserUpdate" });

export const localeUpdate = z.object({ locale: primitives.locale }).meta({ id: "LocaleUpdate" });

export const handleUpdate = z.object({ handle: z.string() }).meta({ id: "HandleUpdate" });

export const supportedProtocolUpdate = z
  .object({ supported_protocols: supportedProtocols })
  .meta({ id: "SupportedProtocolUpdate" });

export const passwordChange = z
  .object({ old_password: primitives.password.optional(), new_password: primitives.newPassword })
  .meta({ id: "PasswordChange" });

export const emailUpdate = z.object({ email: primitives.email }).meta({ id: "EmailUpdate" });

export const phoneUpdate = z.object({ phone: primitives.phone }).meta({ id: "PhoneUpdate" });

export const emailActivation = z.object({
  email_activation: z.enum(["send_activation_email", "auto_activate"]).default("send_activation_email"),
});

export const namedUser = z.object({ "Z-User": primitives.uuid });

export const deleteSelf = z.object({ password: primitives.password.optional() }).meta({ id: "DeleteUser" });

export const deletionTimeout = z
  .object({ expires_in: z.int32().meta({ description: "Seconds that the code is valid" }) })
  .meta({ id: "DeletionCodeTimeout" });

/** As the link in the message carries it. */
export const deletionLink = z.object({ key: z.string().length(20), code: z.string().min(6).max(20) });
export const confirmDeletion = deletionLink.meta({ id: "VerifyDeleteUser" });
