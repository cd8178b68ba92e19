import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { AccountStore } from "#shared/accounts/account-store.ts";
import {
  type FullIndexUpdate,
  fullIndexUpdate,
  type IndexRefresh,
  indexRefresh,
  indexUpdate,
  type Listing,
  listingOf,
  orderTimeOf,
  searchableOf,
  type TeamIndexUpdate,
  teamIndexUpdate,
  userIndexUpdate,
} from "#shared/accounts/index-update.ts";
import { toDirectoryEntry } from "#shared/accounts/search/directory-entry.ts";
import { toDocument } from "#shared/accounts/search/search-document.ts";
import {
  type IndexContent,
  OvertakenError,
  SearchIndexStore,
} from "#shared/accounts/search/search-index-store.ts";
import { retryStale } from "#shared/platform/data/conditions.ts";
import { transactTogether } from "#shared/platform/data/transact-together.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { committedAtOf, type OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { PendingMessages } from "#shared/platform/messaging/pending-messages.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { roleOf } from "#shared/teams/permissions.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export function createHandler(deps: Deps) {
  async function handle({ payload, messageId }: OutboxItem): Promise<void> {
    const update = indexUpdate.parse(payload);
    if ("refreshId" in update) return confirmRefresh(deps, update);
    if ("userId" in update) return updateIndex(deps, update.userId);
    const ordered = { ...update, orderedAt: update.orderedAt ?? committedAtOf({ messageId }) };
    await ("teamId" in ordered ? updateTeam(deps, ordered) : updateAll(deps, ordered));
  }
  return createLeasedWorker(deps.outboxWorker, handle, {
    ...deps,
    queue: "search-index",
    isIdempotent: true,
  });
}

/** Pause before the next look, short because a worker is busy with it. */
const pauseMilliseconds = 100;

/**
 * Note that a refresh is done once the outbox has nothing left that was ordered before it. It looks twice: a pass puts
 * its next message into the outbox before it removes the last, so a single look could miss both. If something is left,
 * another message looks again, so that updates of users get in between. After a number of looks it gives up, because
 * nobody waits any longer.
 */
async function confirmRefresh(deps: Deps, { refreshId, before, looks }: IndexRefresh): Promise<void> {
  const { outbox, searchIndex } = deps;
  const isDone = !((await isAnyPending(deps, before)) || (await isAnyPending(deps, before)));
  if (isDone) return searchIndex.noteRefreshed(refreshId);
  if (looks <= 1) return;
  await delay(pauseMilliseconds);
  await change(deps, async () => ({
    messages: [indexRefresh(outbox, { refreshId, before, looks: looks - 1 })],
  }));
}

async function isAnyPending({ pendingMessages }: Deps, before: number): Promise<boolean> {
  for await (const message of pendingMessages.of("search-index")) {
    const orderedAt = orderTimeOf(message);
    if (orderedAt !== undefined && orderedAt <= before) return true;
  }
  return false;
}

/**
 * Users that one message brings up to date. That takes less than a second, so other updates need not wait for a large
 * team, and the messages that follow fit into one transaction.
 */
const usersPerStep = 90;

/**
 * Bring the index entries of the next users up to date, the newest users first, by the list of accounts. Leaves the
 * others to another message, and each user for whom this fails to a message of their own. The progress of the pass is
 * committed with the next message, so exactly one message continues even if a worker dies or a message arrives twice. A
 * newer pass ends it.
 */
export async function updateAll(deps: Deps, { progress, orderedAt }: FullIndexUpdate): Promise<void> {
  const { accounts, log, outbox, searchIndex } = deps;
  const { passId = randomUUID(), after } = progress ?? {};
  if (after === undefined) await searchIndex.beginFullPass(passId);
  else if (!(await searchIndex.isAt({ passId, after }))) return;
  const { entries, last: next } = await accounts.pageOfEntries({ limit: usersPerStep, after });
  const failed = await updateEach(
    deps,
    entries.map(({ id }) => id),
  );
  const further = next && fullIndexUpdate(outbox, { progress: { passId, after: next }, orderedAt });
  const retries = failed.map((userId) => userIndexUpdate(outbox, userId, orderedAt));
  await change(deps, async () => ({
    writes: [searchIndex.advance({ passId, after, next })],
    messages: [...retries, ...(further ? [further] : [])],
  })).catch((error) => {
    if (!(error instanceof OvertakenError)) throw error;
    log.info("index-pass-overtaken", { passId });
  });
}

/**
 * Bring the index entries of the next members of a team up to date. Leaves the other members to another message, and
 * each member for whom this fails to a message of their own. Members who join meanwhile are indexed by joining. A newer
 * pass ends this one, so only one pass runs at a time however often an admin changes a setting.
 */
export async function updateTeam(
  deps: Deps,
  { teamId, progress, orderedAt }: TeamIndexUpdate,
): Promise<void> {
  const { outbox, searchIndex, teams } = deps;
  const { passId = randomUUID(), after } = progress ?? {};
  if (after === undefined) await searchIndex.beginPass(teamId, passId);
  else if (!(await searchIndex.isNewestPass(teamId, passId))) return;
  const members = await teams.pageOfMembers(teamId, { after, limit: usersPerStep });
  const failed = await updateEach(
    deps,
    members.map(({ userId }) => userId),
  );
  const last = members[usersPerStep - 1];
  const next =
    last && teamIndexUpdate(outbox, teamId, { progress: { passId, after: last.userId }, orderedAt });
  const retries = failed.map((userId) => userIndexUpdate(outbox, userId, orderedAt));
  const messages = [...retries, ...(next ? [next] : [])];
  await change(deps, async () => ({ messages }));
  if (next === undefined) await searchIndex.endPass(teamId, passId);
}

const concurrentUpdates = 10;

/**
 * Bring the index entries of users up to date, some concurrently.
 * @returns the users for whom it failed
 */
async function updateEach(deps: Deps, userIds: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  const waiting = userIds.values();
  const work = async () => {
    for (const userId of waiting) {
      await updateIndex(deps, userId).catch((error: Error) => {
        deps.log.warn("user-not-indexed", { userId, error });
        failed.push(userId);
      });
    }
  };
  await Promise.all(Array.from({ length: concurrentUpdates }, work));
  return failed;
}

/** Deps of the update of one user's entries. */
type IndexDeps = Pick<Deps, "dynamo" | "features" | "searchIndex" | "settings" | "teams"> & {
  readonly accounts: Pick<Deps["accounts"], "get">;
};

/**
 * Bring the index entries of a user up to date with the account and the team. The newest state remains in any order of
 * concurrent updates: each reads the record of the entries first and writes only if the record is unchanged, so the
 * account was read after the last update.
 */
export async function updateIndex(deps: IndexDeps, userId: string): Promise<void> {
  const { accounts, dynamo, searchIndex } = deps;
  await retryStale(async () => {
    const record = await searchIndex.recordOf(userId);
    const account = await accounts.get(userId);
    if (account === undefined) return;
    const searchable = searchableOf(account);
    const listing = listingOf(account);
    const content = {
      document: searchable && toDocument(userId, searchable),
      ...(listing && (await membershipOf(deps, userId, listing))),
    };
    await transactTogether(dynamo, searchIndex.replace(record, content));
  });
}

/** Reads how the user's team shows its members. */
async function membershipOf(
  { features, settings, teams }: IndexDeps,
  userId: string,
  listing: Listing,
): Promise<Omit<IndexContent, "document">> {
  const { teamId } = listing;
  const [member, team] = await Promise.all([teams.getMember({ teamId, userId }), features.get(teamId)]);
  return {
    isOpen: hasFeature("searchVisibilityInbound", team, settings),
    member: member && { teamId, entry: toDirectoryEntry(userId, listing, roleOf(member.permissions)) },
  };
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  features: FeatureStore,
  outboxWorker: OutboxWorker,
  pendingMessages: PendingMessages,
  searchIndex: SearchIndexStore,
  teams: TeamStore,
});
