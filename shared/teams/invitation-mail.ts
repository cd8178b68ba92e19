import type { MailMessage } from "#shared/codes/mail/message.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
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
