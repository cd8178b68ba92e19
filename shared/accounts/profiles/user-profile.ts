import * as z from "zod";
import { qualifiedId, utcTime } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { legalHoldStatus } from "#shared/teams/member.ts";
import { isAtLeast, type PermissionSet, type Role } from "#shared/teams/permissions.ts";
import { type Account, currentStatus, serviceRef, supportedProtocols, tombstoneOf } from "../account.ts";
import type { LegalHoldStatus } from "../legal-hold-status.ts";
import { accentId, oldPictures, profileAssets, textStatus } from "./profile-fields.ts";

/** A user as others see it (published schema `UserProfile`). */
export const userProfile = z
  .object({
    id: z.uuid(),
    qualified_id: qualifiedId,
    name: z.string().min(1).max(128),
    accent_id: accentId,
    assets: profileAssets,
    picture: oldPictures,
    supported_protocols: supportedProtocols,
    legalhold_status: legalHoldStatus.meta({
      description: "Whether a legal hold device of the team has access to the user's messages",
    }),
    text_status: textStatus.optional(),
    handle: z.string().optional().meta({ description: "Without `@`" }),
    team: z.uuid().optional().meta({ description: "Id of the team that the user is a member of" }),
    email: z.string().optional().meta({ description: "Verified, and visible to the reader" }),
    service: serviceRef.optional(),
    expires_at: utcTime.optional().meta({ description: "Anonymous accounts only: when the account ends" }),
    deleted: z.boolean().optional().meta({ description: "True for a deleted account, otherwise absent" }),
  })
  .meta({ id: "UserProfile" });
export type UserProfile = z.input<typeof userProfile>;

/** The reader of a profile: the data that decide which fields the reader sees. */
export interface Viewer {
  readonly teamId?: string;
  /** Permissions in the team; absent where nothing depends on them. */
  readonly permissions?: PermissionSet;
}

interface Showing {
  /** From `readLegalHoldStatuses`. */
  readonly legalHoldStatus: LegalHoldStatus | undefined;
  readonly settings: Settings;
  readonly now: number;
}

/** Shows an account to a viewer. An expired account already looks deleted. */
export function toUserProfile(
  account: Account,
  viewer: Viewer,
  { legalHoldStatus = "no_consent", settings, now }: Showing,
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
    legalhold_status: isDeleted ? "no_consent" : legalHoldStatus,
    text_status: shown.textStatus,
    handle: shown.handle,
    team: shown.teamId,
    email: isEmailVisible(shown, viewer, settings) ? shown.email : undefined,
    service: shown.service,
    expires_at: shown.expiresAt === undefined ? undefined : new Date(shown.expiresAt).toISOString(),
    deleted: isDeleted ? true : undefined,
  };
}

function isEmailVisible(
  { teamId }: Pick<Account, "teamId">,
  viewer: Viewer,
  { setEmailVisibility }: Settings,
): boolean {
  if (teamId === undefined) return false;
  const least = leastRole[setEmailVisibility];
  if (least === undefined) return true;
  return teamId === viewer.teamId && viewer.permissions !== undefined && isAtLeast(viewer.permissions, least);
}

/** The lowest role whose members see the addresses of their team mates; without one, everybody sees all addresses. */
const leastRole: Readonly<Record<Settings["setEmailVisibility"], Role | undefined>> = {
  visible_if_on_team: undefined,
  visible_if_on_same_team: "member",
  visible_to_self: "admin",
};

/** Whether the viewer's permissions decide what a viewer sees of team mates. */
export const dependsOnPermissions = ({ setEmailVisibility }: Settings): boolean =>
  leastRole[setEmailVisibility] !== undefined;
