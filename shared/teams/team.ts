import * as z from "zod";
import type { Settings } from "#shared/registry/settings.ts";

export const teamStatus = z.enum(["pending_active", "active", "suspended", "pending_delete", "deleted"]);
export type TeamStatus = z.infer<typeof teamStatus>;

export const searchVisibility = z.enum(["standard", "no-name-outside-team"]);
export type SearchVisibility = z.infer<typeof searchVisibility>;

/** A team as it is stored (spec heading Team). */
export const teamItem = z.object({
  teamId: z.uuid(),
  /** Who founded it; stays when that account is gone. */
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
  /** Members by rights, kept in step in the transactions that change a member. */
  memberCount: z.int(),
  ownerCount: z.int(),
  /** Admins and owners. */
  adminCount: z.int(),
  /** Whether the feature `legalhold` is in force; the change of the feature keeps it in step. */
  hasLegalHold: z.boolean().optional(),
  /** Unix milliseconds when the deletion was last ordered, or went on with a further job. */
  deletionOrderedAt: z.int().optional(),
  /** The owner who has ordered the deletion; nobody if the operator has. */
  deletedBy: z.uuid().optional(),
});
export type Team = z.infer<typeof teamItem>;

/** Whether the team is there for its members; one that is being deleted is not. */
export const isPresent = ({ status }: Team) => status !== "pending_delete" && status !== "deleted";

/** Most members of a team that all get its events. */
export const fanoutLimit = ({ maxTeamSize, maxFanoutSize }: Settings) => Math.min(maxTeamSize, maxFanoutSize);

/** Whether the team admits members: one that is suspended or being deleted does not. */
export const isOpen = ({ status }: Team) => status === "active" || status === "pending_active";

/** Whether legal hold limits the size of a team: not if the operator decides which teams have it. */
export const limitsLegalHold = ({ legalhold }: Settings) => legalhold === "disabled-by-default";

/** Whether nobody may join the team because it has legal hold. */
export const isFullForLegalHold = ({ hasLegalHold = false, memberCount }: Team, settings: Settings) =>
  hasLegalHold && limitsLegalHold(settings) && memberCount >= fanoutLimit(settings);

/** Most admins and owners of a team, who are told of nearly everything in it. */
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
