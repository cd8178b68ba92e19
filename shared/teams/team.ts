import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import type { Settings } from "#shared/registry/settings.ts";

export const teamStatus = z.enum(["pending_active", "active", "suspended", "pending_delete", "deleted"]);
export type TeamStatus = z.infer<typeof teamStatus>;

export const searchVisibility = z.enum(["standard", "no-name-outside-team"]);
export type SearchVisibility = z.infer<typeof searchVisibility>;

/** A team, as stored. */
export const teamItem = storedItem(
  {
    table: "teams",
    kind: "team",
    key: ["team#*", "team"],
    subject: {
      team: "partition",
      remains: "a tombstone: its id never means another team",
      mentions: "its founder, and who has deleted it",
    },
  },
  storedObject({
    teamId: z.uuid(),
    /** Id of the founder, kept even when that account is deleted. */
    creator: z.uuid(),
    name: z.string(),
    /** Key of an asset, or `default`. */
    icon: z.string(),
    iconKey: z.string().optional(),
    splashScreen: z.string(),
    status: teamStatus,
    /** Unix milliseconds of the last change of the status. */
    statusChangedAt: z.int(),
    searchVisibility,
    /** Currency in which the team is billed. */
    currency: z.string().optional(),
    /** Numbers of members by role, updated in the transactions that change a member. */
    memberCount: z.int(),
    ownerCount: z.int(),
    /** Admins and owners. */
    adminCount: z.int(),
    /** Whether the feature `legalhold` is in force; the change of the feature keeps it in step. */
    hasLegalHold: z.boolean().optional(),
    /** Unix milliseconds when the deletion was last started, or continued by a further job. */
    deletionOrderedAt: z.int().optional(),
    /** The owner who started the deletion; absent if the operator did. */
    deletedBy: z.uuid().optional(),
  }),
);
export type Team = Stored<typeof teamItem>;

/** The part of a deleted team that is kept forever, so that its id never refers to another one. */
export const teamTombstone = ({ teamId, creator }: Team, deletedAt: number): Team => ({
  teamId,
  creator,
  name: "default",
  icon: "default",
  splashScreen: "default",
  status: "deleted",
  statusChangedAt: deletedAt,
  searchVisibility: "standard",
  memberCount: 0,
  ownerCount: 0,
  adminCount: 0,
});

/** Whether the team exists for its members; not while it is being deleted. */
export const isPresent = ({ status }: Team) => status !== "pending_delete" && status !== "deleted";

/** Maximum size of a team whose events go to all members. */
export const fanoutLimit = ({ maxTeamSize, maxFanoutSize }: Settings) => Math.min(maxTeamSize, maxFanoutSize);

/** Whether the team admits members; not while it is suspended or being deleted. */
export const isOpen = ({ status }: Team) => status === "active" || status === "pending_active";

/** Whether legal hold limits the size of a team; not if the operator decides which teams have it. */
export const limitsLegalHold = ({ legalhold }: Settings) => legalhold === "disabled-by-default";

/** Whether nobody may join the team because it has legal hold. */
export const isFullForLegalHold = ({ hasLegalHold = false, memberCount }: Team, settings: Settings) =>
  hasLegalHold && limitsLegalHold(settings) && memberCount >= fanoutLimit(settings);

/** Maximum number of admins and owners of a team, because they get nearly all of its events. */
export const maxTeamAdmins = 2000;

const assetKey = /^3-[0-9]-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}([./][\w.~+/=-]{1,128})?$/i;

/** Key of an asset, or `default`. */
export const teamIcon = z
  .string()
  .max(256)
  .refine((text) => text === "default" || assetKey.test(text), "an asset key, or default")
  .meta({ description: "Key of an uploaded asset, or `default`", examples: ["default"] });
export const teamName = z.string().min(1).max(256);
export const iconKey = z.string().min(1).max(256).meta({ description: "Key that decrypts the icon" });
