import type { MailMessage } from "#shared/codes/mail/message.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { hasOwnerRights } from "../member.ts";
import type { TeamStore } from "../team-store.ts";
import type { Webhook } from "./webhook.ts";

/** Data of accounts for mails; this layer does not know accounts. */
export interface Addressees {
  getMany(userIds: readonly string[]): Promise<readonly { email?: string | undefined; locale: string }[]>;
}

interface Deps {
  readonly accounts: Addressees;
  readonly outbox: Outbox;
  readonly settings: Settings;
  readonly teams: TeamStore;
}

/** Maximum number of owners who get a mail. */
const maxMails = 20;

/** Mails to the owners of a team, or to the operator, that a webhook has been switched off. */
export async function offMails(deps: Deps, { teamId, url, webhookId }: Webhook): Promise<OutboxMessage[]> {
  const { accounts, outbox, settings, teams } = deps;
  const mail = (to: string, more: { locale?: string; team?: { teamId: string; name: string } } = {}) =>
    outbox.message("mail", {
      template: "webhook-off",
      to,
      ...more,
      // The rest of the address may be secret.
      webhook: { webhookId, host: new URL(url).host },
    } satisfies MailMessage);
  if (teamId === undefined) return settings.operatorEmail === undefined ? [] : [mail(settings.operatorEmail)];
  const team = await teams.get(teamId);
  if (team === undefined) return [];
  const adminIds: string[] = [];
  for await (const userId of teams.admins(teamId)) adminIds.push(userId);
  const owners = (await teams.getMembers(teamId, adminIds)).filter(hasOwnerRights);
  const found = await accounts.getMany(owners.map(({ userId }) => userId));
  return found
    .flatMap(({ email, locale }) =>
      email === undefined ? [] : [mail(email, { locale, team: { teamId, name: team.name } })],
    )
    .slice(0, maxMails);
}
