import * as z from "zod";
import type { AccessRole } from "./conversation.ts";

/** The name of a set of access roles before version 3, and in events. */
export const legacyAccessRole = z.enum(["private", "team", "activated", "non_activated"]).meta({
  id: "AccessRoleLegacy",
  description:
    "`private`: nobody; `team`: members of the team; `activated`: activated users; `non_activated`: all users",
  deprecated: true,
});
export type LegacyAccessRole = z.infer<typeof legacyAccessRole>;

/** Each set contains those before it; the last has all roles. */
const setsByName: Readonly<Record<LegacyAccessRole, readonly AccessRole[]>> = {
  private: [],
  team: ["team_member"],
  activated: ["team_member", "non_team_member", "service"],
  non_activated: ["team_member", "non_team_member", "guest", "service"],
};

export const accessRolesOf = (legacy: LegacyAccessRole): readonly AccessRole[] => setsByName[legacy];

/** The name of a set of access roles, or of the smallest named set that contains it. */
export const toLegacyAccessRole = (roles: readonly AccessRole[]): LegacyAccessRole =>
  legacyAccessRole.options.find((name) => roles.every((role) => setsByName[name].includes(role))) ??
  "non_activated";
