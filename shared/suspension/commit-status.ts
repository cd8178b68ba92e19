import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Account } from "../data/account/account.ts";
import type { AccountStore } from "../data/account/account-store.ts";
import type { SessionStore } from "../data/session/session-store.ts";
import { commitWithMessages } from "../messaging/commit-with-messages.ts";
import type { Outbox } from "../messaging/outbox.ts";
import { stageIndexUpdate } from "../search/stage-index-update.ts";

interface Deps {
  readonly accounts: AccountStore;
  readonly client: DynamoDBDocumentClient;
  readonly outbox: Outbox;
  readonly sessions: SessionStore;
}

/**
 * Suspend or resume an account as it was read. Suspending revokes all cookies and hides the user from search; access
 * tokens already issued run out by themselves.
 *
 * @throws StaleReadError when the account has changed since
 */
export async function commitStatus(
  { accounts, client, outbox, sessions }: Deps,
  account: Account,
  status: "active" | "suspended",
): Promise<void> {
  const isSuspended = status === "suspended";
  const sessionEpoch = account.sessionEpoch + Number(isSuspended);
  const changed: Account = { ...account, status, sessionEpoch };
  await commitWithMessages(
    client,
    [
      ...accounts.save(account, changed),
      ...(isSuspended ? [sessions.revokeAll(account.userId, sessionEpoch)] : []),
    ],
    stageIndexUpdate(outbox, account, changed),
  );
}
