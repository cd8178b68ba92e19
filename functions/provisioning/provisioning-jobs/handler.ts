import { AccountStore } from "#shared/accounts/account-store.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { startTimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { deleteBoundUsers } from "#shared/provisioning/delete-bound-users.ts";
import {
  orderProvisioningJob,
  type ProviderAnnouncement,
  type ProvisioningJob,
  provisioningJob,
} from "#shared/provisioning/provisioning-job.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

/** Handle messages from the queue `provisioning-jobs`. A job that runs out of time enqueues a message to continue. */
export const createHandler = (deps: Deps) =>
  createLeasedWorker(
    deps.outboxWorker,
    ({ payload }: OutboxItem) => run(deps, provisioningJob.parse(payload)),
    { ...deps, queue: "provisioning-jobs" },
  );

async function run(deps: Deps, job: ProvisioningJob): Promise<void> {
  if (job.job === "announce-provider") return announceProvider(deps, job);
  const isDone = await deleteBoundUsers(deps, job, startTimeLimit(deps.clock));
  if (!isDone) await change(deps, async () => ({ messages: [orderProvisioningJob(deps.outbox, job)] }));
}

/** Mails per transaction. A retry sends those again that were committed before the failure. */
const mailsAtOnce = 90;

/** Tell those admins and owners of a team who have an address what has happened to an identity provider. */
async function announceProvider(deps: Deps, announcement: ProviderAnnouncement): Promise<void> {
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

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  events: EventPublisher,
  outboxWorker: OutboxWorker,
  provisioning: TeamProvisioningStore,
  sessions: SessionStore,
  teams: TeamStore,
});
