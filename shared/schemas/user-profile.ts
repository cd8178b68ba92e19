import * as z from "zod";
import { type Account, currentStatus, supportedProtocols, userAsset } from "../data/account/account.ts";
import { tombstoneOf } from "../data/account/tombstone.ts";
import type { Settings } from "../settings.ts";
import { qualifiedId, utcTime } from "./primitives.ts";

/** What others see of a user (published schema `UserProfile`). */
export const userProfile = z
  .object({
    id: z.uuid(),
    qualified_id: qualifiedId,
    name: z.string().min(1).max(128),
    accent_id: z.int32(),
    assets: z.array(userAsset),
    picture: z.array(z.record(z.string(), z.unknown())).max(10),
    supported_protocols: supportedProtocols,
    legalhold_status: z.enum(["enabled", "pending", "disabled", "no_consent"]),
    text_status: z.string().min(1).max(256).optional(),
    handle: z.string().optional(),
    team: z.uuid().optional(),
    email: z.string().optional().meta({ description: "Verified, and visible to the reader" }),
    expires_at: utcTime.optional(),
    deleted: z.boolean().optional(),
  })
  .meta({ id: "UserProfile" });
export type UserProfile = z.input<typeof userProfile>;

/** Who looks, as far as it decides what there is to see. */
export type Viewer = Pick<Account, "teamId">;

/** An account as a viewer sees it. One that has expired looks as it will after its deletion. */
export function toUserProfile(
  account: Account,
  viewer: Viewer,
  settings: Settings,
  now: number,
): UserProfile {
  const isDeleted = currentStatus(account, now) === "deleted";
  const shown = isDeleted ? tombstoneOf(account) : account;
  return {
    id: shown.userId,
    qualified_id: { domain: settings.domain, id: shown.userId },
    name: shown.name,
    accent_id: shown.accentId,
    assets: shown.assets,
    picture: shown.picture,
    supported_protocols: shown.supportedProtocols,
    legalhold_status: "no_consent",
    text_status: shown.textStatus,
    handle: shown.handle,
    team: shown.teamId,
    email: isEmailVisible(shown, viewer, settings) ? shown.email : undefined,
    expires_at: shown.expiresAt === undefined ? undefined : new Date(shown.expiresAt).toISOString(),
    deleted: isDeleted ? true : undefined,
  };
}

function isEmailVisible({ teamId }: Viewer, viewer: Viewer, { setEmailVisibility }: Settings): boolean {
  switch (setEmailVisibility) {
    case "visible_if_on_team":
      return teamId !== undefined;
    case "visible_if_on_same_team":
      return teamId !== undefined && teamId === viewer.teamId;
    case "visible_to_self":
      return false;
  }
}
