import type { EmailMessage } from "#shared/codes/mail/message.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Locale, locales } from "./choose-locale.ts";
import { plainName } from "./describe-account.ts";
import { lifetimeInWords } from "./lifetime-in-words.ts";

type TeamInvitation = Extract<EmailMessage, { template: "team-invitation" | "team-invitation-existing" }>;

/** Describe an invitation, so that its recipient recognises the inviter and the team. */
export function describeInvitation(
  { inviter, team }: TeamInvitation,
  language: Locale,
  { setTeamInvitationTimeout }: Settings,
): string[] {
  const texts = locales[language];
  return [
    texts.invitation.inviter(inviter),
    texts.team.team(plainName(team.name)),
    texts.invitation.validity(lifetimeInWords(setTeamInvitationTimeout, language)),
  ];
}
