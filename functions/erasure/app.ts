import type { SQSEvent, SQSRecord } from "aws-lambda";
import type { Config } from "#shared/config.ts";
import { isExpired } from "#shared/data/account/account.ts";
import { deleteAccount, erasureOrder } from "#shared/erasure/delete-account.ts";
import { expiredAccount } from "#shared/erasure/expired-account.ts";
import { createLeasedWorker } from "#shared/messaging/leased-worker.ts";
import type { Overrides } from "#shared/runtime.ts";
import { createDeps } from "./deps.ts";
import { eraseAccount } from "./erase-account.ts";

/**
 * Takes orders of the queue `erasures`: the remains of a deleted account, or an anonymous account that was found past
 * its end and is deleted first, which orders its erasure.
 */
export function createApp(config: Config, overrides?: Overrides) {
  const deps = createDeps(config, overrides);
  const { accounts, clock, log, outboxWorker } = deps;
  const erase = createLeasedWorker(
    outboxWorker,
    ({ payload }) => eraseAccount(deps, erasureOrder.parse(payload)),
    { queue: "erasures", log },
  );

  /** Deletes the account when the record names one that expired. @returns whether it does */
  async function deletesExpired({ body }: SQSRecord): Promise<boolean> {
    const { success, data } = expiredAccount.safeParse(JSON.parse(body));
    if (!success) return false;
    const account = await accounts.get(data.expiredUserId);
    if (account !== undefined && isExpired(account, clock())) await deleteAccount(deps, account.userId);
    return true;
  }

  return async ({ Records }: SQSEvent) => {
    const orders: SQSRecord[] = [];
    for (const record of Records) if (!(await deletesExpired(record))) orders.push(record);
    return erase({ Records: orders });
  };
}
