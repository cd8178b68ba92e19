import type { Account } from "#shared/data/account/account.ts";
import { retryStale, type Write } from "#shared/data/conditions.ts";
import { commitWithMessages } from "#shared/messaging/commit-with-messages.ts";
import type { StagedMessage } from "#shared/messaging/outbox.ts";
import { stageIndexUpdate } from "#shared/search/stage-index-update.ts";
import type { Deps } from "./deps.ts";
import { ownAccount } from "./own-account.ts";

/** What becomes of an account, and what goes with it in one transaction. */
export interface AccountChange {
  readonly next: Account;
  readonly messages?: readonly StagedMessage[];
  readonly writes?: readonly Write[];
}

/**
 * Read, decide, write, and again when another change came between. Where `decide` returns undefined nothing is to be
 * changed, and nothing is written.
 *
 * @throws ApiError `not-found`, `handle-exists`, `key-exists`, and what `decide` throws
 */
export async function changeAccount(
  deps: Deps,
  userId: string,
  decide: (account: Account) => AccountChange | undefined | Promise<AccountChange | undefined>,
): Promise<void> {
  const { accounts, client, outbox } = deps;
  await retryStale(async () => {
    const account = await ownAccount(deps, userId);
    const change = await decide(account);
    if (change === undefined) return;
    const { next, messages = [], writes = [] } = change;
    const staged = [...messages, ...stageIndexUpdate(outbox, account, next)];
    await commitWithMessages(client, [...accounts.save(account, next), ...writes], staged);
  });
}
