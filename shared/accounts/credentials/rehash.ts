import { change } from "#shared/platform/messaging/change.ts";
import type { AccountDeps } from "../account-deps.ts";
import { hashPassword, isRehashDue } from "./password.ts";
import type { Verified } from "./verify-credentials.ts";

type Deps = Pick<AccountDeps, "accounts" | "dynamo" | "settings">;

/** Replace the hash of a password that was right, if it is an imported one or weaker than ours, unless it has changed since. */
export async function rehash(
  deps: Deps,
  { userId, passwordHash: hash }: Pick<Verified, "userId" | "passwordHash">,
  password: string,
): Promise<void> {
  const { accounts, settings } = deps;
  const hashing = settings.setPasswordHashingOptions;
  if (hash === undefined || !isRehashDue(hash, hashing)) return;
  const passwordHash = await hashPassword(password, hashing);
  await change(
    deps,
    async () => {
      const account = await accounts.get(userId);
      if (account?.passwordHash !== hash) return undefined;
      return { writes: accounts.save(account, { ...account, passwordHash }) };
    },
    { isGuarded: false },
  );
}
