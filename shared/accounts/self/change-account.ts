import { isDeepStrictEqual } from "node:util";
import type { Account } from "#shared/accounts/account.ts";
import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { chargeBytes } from "#shared/accounts/write-budget.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";

type Deps = Pick<AccountDeps, "accounts" | "budget" | "clock" | "dynamo" | "outbox" | "settings">;

/** The next state of an account, and the other contents of its transaction. */
export interface AccountChange {
  readonly next: Account;
  readonly messages?: readonly OutboxMessage[];
  readonly writes?: readonly Write[];
}

/**
 * Read an account, decide on a change and write it; start over after a concurrent change. Nothing is written when
 * `decide` returns undefined.
 *
 * @throws ApiError `not-found`
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 * @throws IdentityTakenError when another account has the handle; and whatever `decide` throws
 */
export async function changeAccount(
  deps: Deps,
  userId: string,
  decide: (account: Account) => AccountChange | undefined | Promise<AccountChange | undefined>,
): Promise<void> {
  const { accounts, outbox } = deps;
  await change(deps, async () => {
    const account = await ownAccount(deps, userId);
    const decision = await decide(account);
    if (decision === undefined) return undefined;
    const { next, ...extra } = decision;
    return combine({ writes: accounts.save(account, next) }, extra, {
      writes: chargeBytes(deps, account, changedBytes(account, next)),
      messages: indexUpdateMessages(outbox, account, next),
    });
  });
}

function changedBytes(account: Account, next: Account): number {
  const fields = Object.entries(next) as [keyof Account, unknown][];
  const changed = fields.filter(([field, value]) => !isDeepStrictEqual(value, account[field]));
  return Buffer.byteLength(JSON.stringify(Object.fromEntries(changed)));
}

/**
 * Read the caller's account. @throws ApiError `not-found` when it has been deleted while its access token is still
 * valid
 */
export async function ownAccount(
  { accounts }: Pick<AccountDeps, "accounts">,
  userId: string,
): Promise<Account> {
  const account = await accounts.get(userId);
  if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
  return account;
}
