import type { MailMessage } from "#shared/codes/mail/message.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Invitation } from "./invitation.ts";

interface Details {
  readonly inviterEmail: string;
  readonly teamName: string;
  readonly isForExistingUser: boolean;
  readonly locale: string | undefined;
}

/** Creates the mail with an invitation. Its worker derives the code. */
export const invitationMail = (
  outbox: Outbox,
  { email, invitationId, teamId }: Invitation,
  { inviterEmail, isForExistingUser, locale, teamName }: Details,
): OutboxMessage =>
  outbox.message("mail", {
    template: isForExistingUser ? "team-invitation-existing" : "team-invitation",
    to: email,
    locale,
    inviter: inviterEmail,
    team: { teamId, name: teamName },
    invitationId,
  } satisfies MailMessage);

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
