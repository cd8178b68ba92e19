import { AccountStore } from "#shared/accounts/account-store.ts";
import type { Bot } from "#shared/conversations/bots/bot.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { removeBot } from "#shared/conversations/bots/remove-bot.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { startTimeLimit, type TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import type { Service, ServiceId } from "#shared/services/service.ts";
import { orderServiceJob, type ServiceJob, serviceJob } from "#shared/services/service-job.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";

/** Handle messages from the queue `service-jobs`. A job that runs out of time enqueues a message to continue. */
export function createHandler(deps: Deps) {
  const { clock, outbox, outboxWorker } = deps;

  async function handle({ payload }: OutboxItem): Promise<void> {
    const job = serviceJob.parse(payload);
    const hasEnded = await run(deps, job, startTimeLimit(clock));
    if (!hasEnded) await change(deps, async () => ({ messages: [orderServiceJob(outbox, job)] }));
  }

  return createLeasedWorker(outboxWorker, handle, { ...deps, queue: "service-jobs" });
}

/** @returns false when time ran out */
function run(deps: Deps, job: ServiceJob, isTimeUp: TimeLimit): Promise<boolean> {
  switch (job.job) {
    case "delete-service":
      return deleteService(deps, job, isTimeUp);
    case "delete-provider":
      return deleteProvider(deps, job.providerId, isTimeUp);
    case "leave-team":
      return leaveTeam(deps, job, isTimeUp);
  }
}

/**
 * Delete a provider that is marked for it, so that it can create no more services: first all its services are disabled,
 * then they are deleted one by one, and finally the account, which frees its address. A service that cannot be deleted
 * does not delay the others. @returns false when time ran out
 */
async function deleteProvider(deps: Deps, providerId: string, isTimeUp: TimeLimit): Promise<boolean> {
  const { log, providers, services } = deps;
  const provider = await providers.getEvenDeleted(providerId);
  if (provider?.isBeingDeleted === undefined) return true;
  const failures = new Failures("services");
  const owned = await services.ofProviderWithDeleted(providerId);
  await failures.collectAll(owned.map((service) => beginDeletion(deps, service)));
  for (const service of owned) {
    const hasEnded = await failures.collect(deleteService(deps, service, isTimeUp));
    if (hasEnded === false) return false;
  }
  failures.throwOr(undefined);
  await change(deps, async () => {
    const found = await providers.getEvenDeleted(providerId);
    if (found?.isBeingDeleted === undefined) return undefined;
    return {
      writes: [...providers.finishDeletion(found), services.removeCount(providerId)],
      afterCommit: async () => log.info("provider-deleted", { providerId }),
    };
  });
  return true;
}

function beginDeletion(deps: Deps, { providerId, serviceId }: ServiceId): Promise<void> {
  return change(deps, async () => {
    const service = await deps.services.get(providerId, serviceId);
    return service && { writes: deps.services.beginDeletion(service) };
  });
}

/**
 * Delete a service that is marked for it: no bot can be added and no list can name it any more. The record is removed
 * last, because a repetition finds the rest by it.
 * @returns false when time ran out
 */
async function deleteService(
  deps: Deps,
  { providerId, serviceId }: ServiceId,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const { bots, log, services } = deps;
  const id = { providerId, serviceId };
  if (!isMarked(await services.getEvenDeleted(id))) return true;
  if (!(await removeBots(deps, bots.ofService(id), { isTimeUp }))) return false;
  if (!(await removeFromLists(deps, id, isTimeUp))) return false;
  await change(deps, async () => {
    const service = await services.getEvenDeleted(id);
    if (!isMarked(service)) return undefined;
    return {
      writes: services.finishDeletion(service),
      afterCommit: async () => log.info("service-deleted", id),
    };
  });
  return true;
}

type Marked = Service & { readonly isBeingDeleted: true };

const isMarked = (service: Service | undefined): service is Marked => service?.isBeingDeleted === true;

/**
 * Take a service that is being deleted off the lists of all teams. A list that cannot be changed does not delay the
 * others.
 * @returns false when time ran out
 */
async function removeFromLists(deps: Deps, service: ServiceId, isTimeUp: TimeLimit): Promise<boolean> {
  const failures = new Failures("lists");
  for await (const teamIds of chunksOfStream(deps.whitelist.teamsWith(service.serviceId), concurrency)) {
    if (isTimeUp()) return false;
    await failures.collectAll(teamIds.map((teamId) => removeFromList(deps, service, teamId)));
  }
  return failures.throwOr(true);
}

function removeFromList(deps: Deps, service: ServiceId, teamId: string): Promise<void> {
  const { whitelist } = deps;
  return change(deps, async () => {
    if (await whitelist.isAdmitted(teamId, service)) return { writes: whitelist.remove(teamId, service) };
    return { writes: [whitelist.removeReverse(teamId, service.serviceId)] };
  });
}

type Order = Extract<ServiceJob, { job: "leave-team" }>;

/**
 * Remove the bots of a service from all conversations of a team, in the name of the user who has taken it off the list,
 * even if that user is not in them. If the team admits the service again, the bots that are left stay.
 * @returns false when time ran out
 */
async function leaveTeam(deps: Deps, order: Order, isTimeUp: TimeLimit): Promise<boolean> {
  const { teamId, actor } = order;
  if (await deps.whitelist.isAdmitted(teamId, order)) return true;
  return removeBots(deps, deps.bots.ofServiceInTeam(order, teamId), { actor, isTimeUp });
}

/** Bots removed, or lists changed, concurrently. */
const concurrency = 16;

interface Options {
  /** The user who removes them; absent: the bots leave by themselves. */
  readonly actor?: Actor;
  readonly isTimeUp: TimeLimit;
}

/**
 * Remove bots from their conversations, whose members are told. A bot that cannot be removed does not delay the others.
 * @returns false when time ran out
 */
async function removeBots(
  deps: Deps,
  bots: AsyncIterable<Bot>,
  { actor, isTimeUp }: Options,
): Promise<boolean> {
  const failures = new Failures("bots");
  for await (const group of chunksOfStream(bots, concurrency)) {
    if (isTimeUp()) return false;
    await failures.collectAll(group.map((bot) => removeBot(deps, bot, actor)));
  }
  return failures.throwOr(true);
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  bots: BotStore,
  conversations: ConversationStore,
  events: EventPublisher,
  outboxWorker: OutboxWorker,
  providers: ProviderStore,
  services: ServiceStore,
  whitelist: ServiceWhitelistStore,
});
