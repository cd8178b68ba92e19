import { randomUUID } from "node:crypto";
import { type FullIndexUpdate, fullIndexUpdate, userIndexUpdate } from "#shared/accounts/index-update.ts";
import { OvertakenError } from "#shared/accounts/search/search-index-store.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";
import { updateEach } from "./update-each.ts";

/** As many as in `update-team.ts`. */
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
