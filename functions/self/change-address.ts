import { pendingActivation, stageActivationCode } from "#shared/activation/activation-code.ts";
import { checkAllowList } from "#shared/activation/allow-list.ts";
import { confirmIdentity } from "#shared/activation/confirm-identity.ts";
import { type Account, isActivated } from "#shared/data/account/account.ts";
import type { ContactIdentity } from "#shared/data/account/identity.ts";
import { retryStale, transact, type Write } from "#shared/data/conditions.ts";
import type { IdentityRecord } from "#shared/data/identity-lookup.ts";
import { ApiError } from "#shared/errors.ts";
import type { StagedMessage } from "#shared/messaging/outbox.ts";
import type { Settings } from "#shared/settings.ts";
import type { Deps } from "./deps.ts";
import { ownAccount } from "./own-account.ts";

export interface AddressChange {
  readonly userId: string;
  readonly identity: ContactIdentity;
  /** Whether it is effective at once; otherwise by the code that it is sent. */
  readonly isConfirmed?: boolean;
  /** Who may change the address of an account that provisioning manages. */
  readonly isProvisioning?: boolean;
}

/**
 * Give an account another e-mail address or phone number. Until that is confirmed the old one stays in use, and a later
 * change replaces this one.
 *
 * @returns false when the account has this e-mail address already, and nothing is to be done
 * @throws ApiError `no-identity` (an anonymous account), `managed-by-scim`, `blacklisted-email`, `blacklisted-phone`,
 *   `key-exists`, `allowlist-rejected`, `too-many-requests`, `not-found`
 * @see operations `change-self-email`, `change-phone`, `i-change-self-email`
 */
export async function changeAddress(deps: Deps, change: AddressChange): Promise<boolean> {
  const { client, identities, settings } = deps;
  const { userId, identity, isConfirmed = false } = change;
  const messages = await retryStale(async () => {
    const [account, record] = await Promise.all([ownAccount(deps, userId), identities.find(identity)]);
    checkMayChange(account, change);
    if (identity.kind === "email" && isSameMailbox(account.email, identity)) return undefined;
    checkUsable(record, userId, settings);
    const staged = isConfirmed
      ? await confirmIdentity(deps, account, identity)
      : startChange(deps, account, record);
    await transact(client, staged.writes);
    return staged.messages;
  });
  await Promise.all((messages ?? []).map((message) => message.send()));
  return messages !== undefined;
}

function checkMayChange(account: Account, { identity, isProvisioning = false }: AddressChange): void {
  if (account.status === "ephemeral") throw new ApiError("no-identity");
  if (identity.kind === "email" && account.managedByScim && !isProvisioning)
    throw new ApiError("managed-by-scim");
}

const isSameMailbox = (address: string | undefined, { value }: ContactIdentity) =>
  address?.toLowerCase() === value.toLowerCase();

/** In the order of spec heading E-mail change. */
function checkUsable(
  { claim, identity, isBlocked }: IdentityRecord,
  userId: string,
  settings: Settings,
): void {
  if (isBlocked) throw new ApiError(identity.kind === "email" ? "blacklisted-email" : "blacklisted-phone");
  if (claim !== undefined && claim.userId !== userId) throw new ApiError("key-exists");
  checkAllowList({ [identity.kind]: identity.value }, settings);
}

function startChange(
  deps: Deps,
  account: Account,
  record: IdentityRecord,
): { writes: readonly Write[]; messages: readonly StagedMessage[] } {
  const { userId, passwordHash, locale } = account;
  const { kind, value } = record.identity;
  const now = deps.clock();
  const pending = pendingActivation(record, now);
  const { writes, message } = stageActivationCode(deps, record, {
    pending: pending?.userId === userId ? pending : undefined,
    // A login by an address that an active account only waits for is to find nothing.
    owner: isActivated(account) ? { userId } : { userId, passwordHash },
    locale,
    now,
  });
  const next = { ...account, [kind === "email" ? "emailUnvalidated" : "phoneUnvalidated"]: value };
  return { writes: [...deps.accounts.save(account, next), ...writes], messages: [message] };
}
