import * as z from "zod";
import { email, queryAddress } from "#shared/accounts/account-types.ts";
import { typedText } from "#shared/platform/html/typed-fields.ts";
import { providerFields, providerId } from "#shared/services/provider-view.ts";

const { name, url, description } = providerFields;
const shortestPassword = 6;
const newPassword = z.string().min(shortestPassword).max(1024).meta({ description: "The password to set" });

export const isNewPassword = (text: string): boolean => newPassword.safeParse(text).success;
/** A password that no provider can have counts as wrong, not as malformed; the same holds for the address. */
const currentPassword = z.string().meta({ description: "The current password" });

/** A wrong length makes a wrong code, not a malformed request. */
const code = z.string().meta({ description: "Code from the mail" });
const key = z.string().min(1).max(128).meta({ description: "Key from the mail, which names the address" });

export const newProvider = z
  .object({
    name,
    email,
    url,
    description,
    password: newPassword.optional().meta({ description: "Absent: one is generated" }),
  })
  .meta({
    id: "NewProvider",
    examples: [
      {
        name: "Acme",
        email: "bots@example.com",
        url: "https://bots.example.com",
        description: "Bots for everybody",
        password: "correct horse battery",
      },
    ],
  });

export const registered = z
  .object({
    id: providerId,
    password: z
      .string()
      .min(8)
      .max(1024)
      .optional()
      .meta({ description: "The generated password, if none was sent; it is never shown again" }),
  })
  .meta({ id: "NewProviderResponse" });

export const redemption = z.object({ key, code });

/** Absent in a 204, when the address was active already. */
export const activated = z
  .object({ email })
  .meta({ id: "ProviderEmail", examples: [{ email: "bots@example.com" }] });

export const login = z.object({ email: z.string(), password: currentPassword }).meta({
  id: "ProviderLogin",
  examples: [{ email: "bots@example.com", password: "correct horse battery" }],
});

export const providerUpdate = z
  .object({ name: name.optional(), url: url.optional(), description: description.optional() })
  .meta({
    id: "UpdateProvider",
    description: "Absent fields stay as they are",
    examples: [{ name: "Acme Bots" }],
  });

export const emailUpdate = z
  .object({ email })
  .meta({ id: "ProviderEmail", examples: [{ email: "bots@example.com" }] });

export const passwordChange = z.object({ old_password: currentPassword, new_password: newPassword }).meta({
  id: "ProviderPasswordChange",
  examples: [{ old_password: "correct horse battery", new_password: "staple correct horse" }],
});

export const passwordReset = z
  .object({ email })
  .meta({ id: "ProviderEmail", examples: [{ email: "bots@example.com" }] });

export const completeReset = z.object({ key, code, password: newPassword }).meta({
  id: "CompleteProviderPasswordReset",
  examples: [{ key: "k3yFromTheMail123456", code: "c0deFromTheMail12345", password: "staple correct horse" }],
});

export const deletion = z
  .object({ password: currentPassword })
  .meta({ id: "ProviderPassword", examples: [{ password: "correct horse battery" }] });

export const codeQuery = z.object({ email: queryAddress });

export const pendingCode = z.object({ key, code }).meta({ id: "PendingProviderCode" });

/** Why the form is shown again. */
const resetProblem = z.enum(["short-password", "same-password"]);
export type ResetProblem = z.infer<typeof resetProblem>;

export const resetLink = redemption.extend({
  problem: resetProblem.optional().catch(undefined).meta({ description: "Why the form is shown again" }),
});

export const resetForm = redemption.extend({ password: typedText });
