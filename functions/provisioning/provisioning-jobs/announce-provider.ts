import type { MailMessage } from "#shared/codes/mail/message.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { ProviderAnnouncement } from "#shared/provisioning/provisioning-job.ts";
import type { Deps } from "./deps.ts";

/** Mails per transaction. A retry sends those again that were committed before the failure. */
const mailsAtOnce = 90;

/** Tell those admins and owners of a team who have an address what has happened to an identity provider. */
export async function announceProvider(deps: Deps, announcement: ProviderAnnouncement): Promise<void> {
  const { accounts, outbox, teams } = deps;
  const { teamId, userId, providerId, before, after } = announcement;
  const [team, actor] = await Promise.all([teams.get(teamId), userId && accounts.get(userId)]);
  if (team === undefined) return;
  for await (const adminIds of chunksOfStream(teams.admins(teamId), mailsAtOnce)) {
    const admins = await accounts.getMany(adminIds);
    const mails = admins.flatMap(({ email, locale }): MailMessage[] =>
      email === undefined
        ? []
        : [
            {
              template: "identity-provider-changed",
              to: email,
              locale,
              team: { teamId, name: team.name },
              admin: actor ? actor.name : undefined,
              providerId,
              before,
              after,
            },
          ],
    );
    await change(deps, async () => ({ messages: mails.map((mail) => outbox.message("mail", mail)) }));
  }
}
