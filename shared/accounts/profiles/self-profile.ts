import * as z from "zod";
import { qualifiedId, utcTime } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Account, accountStatus, currentStatus, supportedProtocols } from "../account.ts";
import { accentId, oldPictures, profileAssets, textStatus } from "./profile-fields.ts";
import { ssoId, toSsoId } from "./sso-id.ts";

/** A user's own profile (published schema `User`). */
export const selfProfile = z
  .object({
    id: z.uuid(),
    qualified_id: qualifiedId,
    name: z.string().min(1).max(128),
    accent_id: accentId,
    assets: profileAssets,
    picture: oldPictures,
    locale: z.string().meta({ description: "Language, or language and country: en, de-CH" }),
    managed_by: z.string().meta({
      description:
        "`scim`: the team's provisioning manages name, handle and locale; otherwise, the user does",
    }),
    status: accountStatus.meta({
      description:
        "`ephemeral`: anonymous. `pending-invitation`: the user has not accepted the invitation to a team yet.",
    }),
    supported_protocols: supportedProtocols,
    text_status: textStatus.optional(),
    email: z.string().optional().meta({ description: "Verified" }),
    email_unvalidated: z.string().optional().meta({ description: "Not verified yet" }),
    phone: z.string().optional().meta({ description: "Verified, in E.164 form" }),
    handle: z.string().optional().meta({ description: "Without `@`" }),
    team: z.uuid().optional().meta({ description: "Id of the team that the user is a member of" }),
    sso_id: ssoId.optional(),
    expires_at: utcTime.optional().meta({ description: "Anonymous accounts only: when the account ends" }),
    deleted: z.boolean().optional().meta({ description: "True for a deleted account, otherwise absent" }),
  })
  .meta({ id: "User" });
export const selfProfiles = z.array(selfProfile);

/** Shows an account to its user. */
export function toSelfProfile(
  account: Account,
  settings: Settings,
  now: number,
): z.input<typeof selfProfile> {
  const status = currentStatus(account, now);
  return {
    id: account.userId,
    qualified_id: { domain: settings.domain, id: account.userId },
    name: account.name,
    accent_id: account.accentId,
    assets: account.assets,
    picture: account.picture,
    locale: account.locale,
    managed_by: account.managedByScim ? "scim" : settings.vendor,
    status,
    supported_protocols: account.supportedProtocols,
    text_status: account.textStatus,
    email: account.email,
    email_unvalidated: account.emailUnvalidated,
    phone: account.phone,
    handle: account.handle,
    team: account.teamId,
    sso_id: toSsoId(account),
    expires_at: account.expiresAt === undefined ? undefined : new Date(account.expiresAt).toISOString(),
    deleted: status === "deleted" ? true : undefined,
  };
}
