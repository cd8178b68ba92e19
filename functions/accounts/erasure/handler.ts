import { isExpired } from "#shared/accounts/account.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { erasureOrder } from "#shared/accounts/erasure-order.ts";
import { expiredAccount } from "#shared/accounts/expired-account.ts";
import { arrivalOrder, removeArriving } from "#shared/assets/arrival.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { startTimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Deps } from "./deps.ts";
import { eraseAccount, eraseBot } from "./erase-account.ts";

export { createDeps } from "./deps.ts";

/**
 * Handle messages from the queue `erasures`: jobs to erase what is left of a deleted account, or of a file that did not
 * arrive, and reports of expired anonymous accounts, whose deletion enqueues their erasure. An erasure that runs out of
 * time enqueues a message to continue.
 */
export function createHandler(deps: Deps) {
  const { accounts, clock, outboxWorker } = deps;

  const handle = ({ payload }: OutboxItem) => {
    const arrival = arrivalOrder.safeParse(payload).data;
    if (arrival !== undefined) return removeArriving(deps, arrival.arrivingKey);
    const order = erasureOrder.parse(payload);
    return order.isBot ? eraseBot(deps, order) : eraseAccount(deps, order, startTimeLimit(clock));
  };

  async function deleteIfExpired(content: unknown): Promise<boolean> {
    const report = expiredAccount.safeParse(content).data;
    if (report === undefined) return false;
    const account = await accounts.get(report.expiredUserId);
    if (account !== undefined && isExpired(account, clock())) await deleteAccount(deps, account.userId);
    return true;
  }

  return createLeasedWorker(outboxWorker, handle, {
    ...deps,
    queue: "erasures",
    handleDirect: deleteIfExpired,
  });
}
