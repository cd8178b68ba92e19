import type { TeamInvite } from "#shared/registered-domains/domain-registration.ts";

/** Reads a rule on invitations, of which the schema has checked that it names a team where it must. */
export const toTeamInvite = ({
  team_invite: kind,
  team = "",
}: {
  team_invite: TeamInvite["kind"];
  team?: string | undefined;
}): TeamInvite => (kind === "team" ? { kind, teamId: team } : { kind });
