import type { Settings } from "#shared/registry/settings.ts";
import type { Invitation } from "./invitation.ts";

interface Context {
  readonly settings: Pick<Settings, "setTeamInvitationUrls">;
  /** Base address of the public API, without trailing slash. */
  readonly publicUrl: string;
}

/** Address of the page on which an invitation is accepted. */
export function invitationUrl(
  { settings, publicUrl }: Context,
  { teamId }: Pick<Invitation, "teamId">,
  { code, isForExistingUser }: { readonly code: string; readonly isForExistingUser: boolean },
): string {
  const { newUser, existingUser } = settings.setTeamInvitationUrls;
  const template = isForExistingUser ? existingUser : newUser;
  return (template ?? `${publicUrl}/activate/join?team-code={code}`)
    .replaceAll("{code}", code)
    .replaceAll("{team}", teamId);
}
