import type { Account } from "#shared/accounts/account.ts";
import { activationDelivery } from "#shared/accounts/activation/activation-code.ts";
import { checkUsable } from "#shared/accounts/activation/identity-rules.ts";
import { userUpdatePrivately } from "#shared/accounts/events.ts";
import { emailIdentity, isSameMailbox } from "#shared/accounts/identity.ts";
import type { IdentityRecord } from "#shared/accounts/identity-lookup.ts";
import { codesToUser } from "#shared/accounts/second-factor/codes-to-user.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { ProvisioningDeps } from "#shared/provisioning/provisioning-deps.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";

type Deps = Pick<
  ProvisioningDeps,
  "clock" | "codes" | "events" | "features" | "identities" | "outbox" | "settings" | "verificationCodes"
>;

/**
 * An address that an identity provider or a directory gives a user, with the data that decide whether the user may have
 * it.
 */
export interface ProvisionedEmail {
  readonly record: IdentityRecord;
  /** Whether a mail must prove that the address is the user's. */
  readonly isMailed: boolean;
  /** Whether the team has claimed the domain, so that nobody else has the address. */
  readonly isOfOwnDomain: boolean;
}

/** Additions to an account and its transaction when it gets an address. */
export interface EmailChange extends Change {
  /** Fields to save with the account; all are present, so that they replace the previous ones. */
  readonly fields: Pick<Account, "email" | "emailUnvalidated" | "unprovenEmail">;
}

/**
 * Look up an address for a member of a team, in one round trip. Independent of other reads, so it can run concurrently
 * with them.
 *
 * @throws ApiError `invalid-email`
 */
export async function findProvisionedEmail(
  deps: Pick<Deps, "features" | "identities" | "settings">,
  teamId: string,
  address: string,
): Promise<ProvisionedEmail> {
  const identity = emailIdentity(address, deps.settings);
  const [record, team] = await Promise.all([deps.identities.find(identity), deps.features.get(teamId)]);
  const isValidated = hasFeature("validateSAMLemails", team, deps.settings);
  const { registration } = record;
  const isOfOwnDomain = registration?.authorizedTeam === teamId;
  const isOfOwnSingleSignOn = registration?.redirect.kind === "sso" && isOfOwnDomain;
  return { record, isMailed: isValidated && !isOfOwnSingleSignOn, isOfOwnDomain };
}

/**
 * Decides how a member gets an address that an identity provider or a directory names : immediately, when the team
 * trusts it or its single sign-on has the domain, though without proof unless the team has claimed the domain;
 * otherwise a code is mailed to it, and until it is entered, the account keeps its present address. Nothing happens
 * when the account already has the address or waits for it.
 *
 * `fields` belong in the account that the caller saves, `writes` and `messages` in the same transaction. The creation
 * of an account announces its address, so only changes of an account are announced here.
 *
 * @param previous the account as it was read; absent: it is created
 * @param next the account as the caller is about to save it, except for the address
 * @throws ApiError `blacklisted-email`, `key-exists`, `allowlist-rejected`; for an address that is mailed,
 * `domain-blocked-for-registration`, `condition-failed`
 * @throws RateLimitedError
 */
export async function validateProvisionedEmail(
  deps: Deps,
  { previous, next }: { readonly previous?: Account | undefined; readonly next: Omit<Account, "revision"> },
  { record, isMailed, isOfOwnDomain }: ProvisionedEmail,
): Promise<EmailChange> {
  const { clock, settings } = deps;
  const { email, emailUnvalidated, unprovenEmail } = next;
  const { identity } = record;
  const unchanged = { writes: [], messages: [] };
  if (isSameMailbox(email, identity))
    return { fields: { email, emailUnvalidated: undefined, unprovenEmail }, ...unchanged };
  if (isSameMailbox(emailUnvalidated, identity))
    return { fields: { email, emailUnvalidated, unprovenEmail }, ...unchanged };
  checkUsable(record, next, { isMailed, settings });
  if (!isMailed)
    return {
      fields: {
        email: identity.value,
        emailUnvalidated: undefined,
        unprovenEmail: isOfOwnDomain ? undefined : identity.value,
      },
      ...(await activated(deps, previous, identity.value)),
    };
  const delivery = activationDelivery(deps, record, {
    owners: [{ ...next, email, emailUnvalidated }],
    locale: next.locale,
    now: clock(),
  });
  return { fields: { email, emailUnvalidated: identity.value, unprovenEmail }, ...delivery };
}

/** Discards codes sent to the former address, because the user may no longer control it. */
async function activated(
  { codes, events, verificationCodes }: Deps,
  previous: Account | undefined,
  email: string,
): Promise<Change> {
  if (previous === undefined) return { writes: [], messages: [] };
  const { userId } = previous;
  const discarded = await codesToUser(verificationCodes, userId);
  return {
    writes: discarded.map(({ purpose, key }) => codes.discard(purpose, key)),
    messages: events.toSelf({ userId }, userUpdatePrivately, { user: { id: userId, email } }),
  };
}
