import type { Account } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { isSameContent } from "#shared/platform/data/unknown-fields.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { announceChanges } from "#shared/provisioning/announce-changes.ts";
import type { Deps } from "../deps.ts";

type ProvisionedFields = Partial<
  Pick<Account, "name" | "handle" | "locale" | "managedByScim" | "samlIdentity" | "scim">
>;

/**
 * Change an account as provisioning does: even what its user may not change, and with the same events.
 *
 * @param decide gets the present account; a field that it returns as undefined is removed
 * @throws ApiError `not-found`, `handle-exists`, `key-exists` when another account has the SAML identity or external id
 */
export async function changeAccount(
  deps: Deps,
  userId: string,
  decide: (account: Account) => ProvisionedFields,
): Promise<void> {
  const { accounts, outbox } = deps;
  await change(deps, async () => {
    const account = await accounts.get(userId);
    if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
    const fields = decide(account);
    const isSame = Object.entries(fields).every(([field, value]) =>
      isSameContent(value, account[field as keyof ProvisionedFields]),
    );
    if (isSame) return undefined;
    const next = { ...account, ...fields };
    return {
      writes: accounts.save(account, next),
      messages: [...announceChanges(deps, account, next), ...indexUpdateMessages(outbox, account, next)],
    };
  }).catch(answerTaken);
}

/** @throws ApiError `handle-exists`, `key-exists` for another identity in use */
export function answerTaken(error: unknown): never {
  if (!(error instanceof IdentityTakenError)) throw error;
  throw new ApiError(error.kind === "handle" ? "handle-exists" : "key-exists", { cause: error });
}
