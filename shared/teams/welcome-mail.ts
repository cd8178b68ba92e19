import type { MailMessage } from "#shared/codes/mail/message.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Team } from "./team.ts";

/** Creates the mail that welcomes a new member; none for a member without an email address. */
export const welcomeMail = (
  outbox: Outbox,
  { email, locale, name }: { email?: string; locale: string; name: string },
  { teamId, name: teamName }: Pick<Team, "teamId" | "name">,
): OutboxMessage[] =>
  email === undefined
    ? []
    : [
        outbox.message("mail", {
          template: "welcome",
          to: email,
          locale,
          name,
          team: { teamId, name: teamName },
        } satisfies MailMessage),
      ];
