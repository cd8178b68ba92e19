import * as z from "zod";
import {
  type Account,
  accountStatus,
  currentStatus,
  supportedProtocols,
  userAsset,
} from "../data/account/account.ts";
import type { Settings } from "../settings.ts";
import { qualifiedId, utcTime } from "./primitives.ts";

/** The own profile (interface section 2.4, published schema `User`). */
export const selfProfile = z
  .object({
    id: z.uuid(),
    qualified_id: qualifiedId,
    name: z.string().min(1).max(128),
    accent_id: z.int32(),
    assets: z.array(userAsset),
    picture: z.array(z.record(z.string(), z.unknown())).max(10),
    locale: z.string(),
    managed_by: z.string().meta({ description: "The vendor word, or scim" }),
    status: accountStatus,
    supported_protocols: supportedProtocols,
    text_status: z.string().min(1).max(256).optional(),
    email: z.string().optional(),
    email_unvalidated: z.string().optional(),
    phone: z.string().optional(),
    handle: z.string().optional(),
    team: z.uuid().optional(),
    expires_at: utcTime.optional(),
    deleted: z.boolean().optional(),
  })
  .meta({ id: "User" });

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
    expires_at: account.expiresAt === undefined ? undefined : new Date(account.expiresAt).toISOString(),
    deleted: status === "deleted" ? true : undefined,
  };
}
