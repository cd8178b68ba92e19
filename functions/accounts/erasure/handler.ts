import type { SQSEvent, SQSRecord } from "aws-lambda";
import { isExpired } from "#shared/accounts/account.ts";
import { deleteAccount, erasureOrder } from "#shared/accounts/delete-account.ts";
import { expiredAccount } from "#shared/accounts/expired-account.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { Deps } from "./deps.ts";
import { eraseAccount } from "./erase-account.ts";

/**
 * Handle messages from the queue `erasures`: orders to erase what is left of a deleted account, and reports of an
 * anonymous account that has expired, which is deleted here; its deletion orders its erasure.
 */
export function createHandler(deps: Deps) {
  const { accounts, clock, outboxWorker } = deps;
  const erase = createLeasedWorker(
    outboxWorker,
    ({ payload }) => eraseAccount(deps, erasureOrder.parse(payload)),
    { ...deps, queue: "erasures" },
  );

  /** Deletes the account if the record reports an expired one. @returns whether the record is such a report */
  async function deleteIfExpired({ body }: SQSRecord): Promise<boolean> {
    const { success, data } = expiredAccount.safeParse(JSON.parse(body));
    if (!success) return false;
    const account = await accounts.get(data.expiredUserId);
    if (account !== undefined && isExpired(account, clock())) await deleteAccount(deps, account.userId);
    return true;
  }

  return async ({ Records }: SQSEvent) => {
    const orders: SQSRecord[] = [];
    for (const record of Records) if (!(await deleteIfExpired(record))) orders.push(record);
    return erase({ Records: orders });
  };
}
