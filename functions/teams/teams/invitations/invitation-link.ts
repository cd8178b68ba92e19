import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import { invitationUrl } from "#shared/teams/invitation-mail.ts";
import type { Deps } from "../deps.ts";

/** An invitation, with its link if the team may see it. */
export interface LinkedInvitation {
  readonly invitation: Invitation;
  readonly url?: string;
}

/** Whether members who may invite also see the links that invitees get. */
export const showsLinks = (features: TeamFeatures, { settings }: Deps) =>
  hasFeature("exposeInvitationURLsToTeamAdmin", features, settings);

/** The link by which an invitation is accepted. */
export async function linkOf(
  { config, invitationCodes, settings }: Deps,
  invitation: Invitation,
  isForExistingUser: boolean,
): Promise<string> {
  const code = await invitationCodes.derive(invitation);
  return invitationUrl({ settings, publicUrl: config.publicUrl }, invitation, { code, isForExistingUser });
}
