import type { TeamInvite } from "#shared/teams/registered-domains/domain-registration.ts";

/** Reads a rule on invitations; the schema has checked that `team` is there for the kind `team`. */
export const toTeamInvite = ({
  team_invite: kind,
  team = "",
}: {
  team_invite: TeamInvite["kind"];
  team?: string | undefined;
}): TeamInvite => (kind === "team" ? { kind, teamId: team } : { kind });
