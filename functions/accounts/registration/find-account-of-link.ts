import type { Account } from "#shared/accounts/account.ts";
import { pendingCodes } from "#shared/accounts/activation/activation-code.ts";
import { parseLinkKey } from "#shared/codes/link-key.ts";
import type { Deps } from "./deps.ts";

/** Find the account that the link in a mail would activate. Only the recipient knows its key. */
export async function findAccountOfLink(
  { accounts, clock, codes }: Deps,
  linkKey: string,
): Promise<Account | undefined> {
  const { key, nonce } = parseLinkKey(linkKey);
  const code = pendingCodes(await codes.get("activation", key), clock()).find(
    (other) => other.nonce === nonce,
  );
  return code?.userId === undefined ? undefined : accounts.get(code.userId);
}
