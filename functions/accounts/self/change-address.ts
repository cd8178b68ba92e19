import type { Account } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { activationDelivery } from "#shared/accounts/activation/activation-code.ts";
import { confirmIdentity, withFoundedTeam } from "#shared/accounts/activation/confirm-identity.ts";
import { checkUsable } from "#shared/accounts/activation/identity-rules.ts";
import { type ContactIdentity, isSameMailbox } from "#shared/accounts/identity.ts";
import type { IdentityRecord } from "#shared/accounts/identity-lookup.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { ownAccount } from "#shared/accounts/self/change-account.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

export interface AddressChange {
  readonly userId: string;
  readonly identity: ContactIdentity;
  /** Network of the request, if the user sent it. */
  readonly network?: string;
  /** Whether the change takes effect immediately, rather than with the code that is sent to the address. */
  readonly isConfirmed?: boolean;
  /** Whether the caller may change the address of an account that provisioning manages. */
  readonly isProvisioning?: boolean;
  /** Called in each attempt; creates further conditions of the change. */
  readonly conditions?: (attempt: number) => Promise<readonly Write[]>;
}

/**
 * Give an account another email address or phone number. Until it is confirmed, the old one stays in use, and a later
 * change replaces this one.
 *
 * @returns false when the account already has this email address
 * @throws ApiError `no-identity` (an anonymous account), `managed-by-scim`, `blacklisted-email`, `blacklisted-phone`,
 *   `key-exists`, `domain-blocked-for-registration`, `condition-failed`, `allowlist-rejected`, `too-many-requests`,
 *   `not-found`
 * @see operations `change-self-email`, `change-phone`, `update-user-email`, `i-change-self-email`
 */
export async function changeAddress(deps: Deps, command: AddressChange): Promise<boolean> {
  const { identities, settings } = deps;
  const { userId, identity, network, isConfirmed = false } = command;
  return change(deps, async (attempt) => {
    const [account, record, conditions = []] = await Promise.all([
      ownAccount(deps, userId),
      identities.find(identity),
      command.conditions?.(attempt),
    ]);
    checkMayChange(account, command);
    if (identity.kind === "email" && isSameMailbox(account.email, identity)) return { result: false };
    checkUsable(record, account, { isMailed: !isConfirmed, settings });
    const effects = isConfirmed
      ? await confirmIdentity(deps, account, identity, record.claim)
      : await startChange(deps, account, record, network);
    return { ...combine(effects, { writes: conditions }), result: true };
  }).catch(answer(IdentityTakenError, "key-exists"));
}

function checkMayChange(account: Account, { identity, isProvisioning = false }: AddressChange): void {
  if (account.status === "ephemeral") throw new ApiError("no-identity");
  if (identity.kind === "email" && account.managedByScim && !isProvisioning)
    throw new ApiError("managed-by-scim");
}

async function startChange(
  deps: Deps,
  account: Account,
  record: IdentityRecord,
  network: string | undefined,
): Promise<Change> {
  const { kind, value } = record.identity;
  const delivery = activationDelivery(deps, record, {
    owners: [await withFoundedTeam(deps.teams, account)],
    locale: account.locale,
    now: deps.clock(),
    network,
  });
  const next = { ...account, [kind === "email" ? "emailUnvalidated" : "phoneUnvalidated"]: value };
  return combine({ writes: deps.accounts.save(account, next) }, delivery, {
    messages: indexUpdateMessages(deps.outbox, account, next),
  });
}
