import { isActivated } from "#shared/accounts/account.ts";
import { type AccountAndTeam, activationDelivery } from "#shared/accounts/activation/activation-code.ts";
import { withFoundedTeam } from "#shared/accounts/activation/confirm-identity.ts";
import {
  checkAllowList,
  checkAvailable,
  checkDomainNotBlocked,
} from "#shared/accounts/activation/identity-rules.ts";
import { contactIdentity, storedContacts } from "#shared/accounts/identity.ts";
import type { IdentityRecord } from "#shared/accounts/identity-lookup.ts";
import { chargeSms, checkNumber } from "#shared/accounts/sms-allowance.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import type { Deps } from "./deps.ts";

/**
 * Send a code to an email address or phone number: each waiting registration gets its own code; without any, the code
 * has no account. While a code is pending, it is sent again, with its remaining attempts.
 *
 * @throws ApiError `allowlist-rejected`, `domain-blocked-for-registration`, `invalid-email`, `invalid-phone`,
 * `key-exists`, `blacklisted-email`, `blacklisted-phone`, `too-many-requests`
 * @see operation `post-activate-send`
 */
export async function sendActivationCode(
  deps: Deps,
  command: { email?: string; phone?: string; locale?: string },
  sourceIp: string,
): Promise<void> {
  const { settings, clock, identities } = deps;
  checkAllowList(command, settings);
  checkDomainNotBlocked(command, settings);
  const identity = contactIdentity(command, settings);
  await checkNumber(identity);

  await change(deps, async (attempt) => {
    const record = await identities.find(identity);
    checkAvailable(record);
    const waiting = await registrationsWaitingFor(deps, record);
    const owners = waiting.length > 0 ? waiting : [undefined];
    if (attempt === 1) await chargeSms(deps, identity, { sourceIp, count: owners.length });
    return activationDelivery(deps, record, {
      owners,
      locale: command.locale,
      now: clock(),
      network: networkOf(sourceIp),
    });
  });
}

/**
 * Accounts that registered with this identity and wait for it. Leaves out active accounts: their users ask through
 * `change-self-email` or `change-phone`, and a link for somebody who wants to register must not give the address to
 * them.
 */
async function registrationsWaitingFor(
  { accounts, settings, teams }: Deps,
  { activation, identity }: IdentityRecord,
): Promise<AccountAndTeam[]> {
  const userIds = activation?.activations?.flatMap(({ userId, usedBy }) =>
    userId === undefined || usedBy !== undefined ? [] : [userId],
  );
  if (userIds === undefined || userIds.length === 0) return [];
  const found = await accounts.getMany([...new Set(userIds)]);
  const waiting = found.filter((account) => {
    const { emailUnvalidated: email, phoneUnvalidated: phone } = account;
    const waitsFor = storedContacts({ email, phone }, settings).some(({ key }) => key === identity.key);
    return waitsFor && account.status === "active" && !isActivated(account);
  });
  return Promise.all(waiting.map((account) => withFoundedTeam(teams, account)));
}
