import type { EmailMessage } from "#shared/codes/mail/message.ts";
import { type Locale, locales } from "./choose-locale.ts";
import { plainName } from "./describe-account.ts";

type Welcome = Extract<EmailMessage, { template: "welcome" }>;

/** Describe a new member of a team, and the team. */
export function describeMember({ to, name, team }: Welcome, language: Locale): string[] {
  const texts = locales[language].team;
  return [
    texts.member(plainName(name)),
    texts.address(to),
    texts.team(plainName(team.name)),
    texts.teamId(team.teamId),
  ];
}
