import type { Claim } from "#shared/accounts/account.ts";
import { type ContactIdentity, contactIdentity } from "#shared/accounts/identity.ts";
import { hashedKey } from "#shared/codes/code-store.ts";
import type { Deps } from "./deps.ts";

/** Key under which the reset of an address is stored, and the account to which it belongs. */
export interface ResetTarget {
  readonly key: string;
  readonly identity: ContactIdentity;
  /** The identity as text, by which requests for the same reset are told apart. */
  readonly requester: string;
  /** Absent when no account may be reset by this identity. */
  readonly claim: Claim | undefined;
}

/**
 * Find out where the reset of an address is stored: under its account if that may be reset, otherwise under a decoy, so
 * that callers cannot tell the two apart.
 *
 * @throws ApiError `invalid-email`, `invalid-phone`
 */
export async function resetTarget(
  { accounts, settings }: Pick<Deps, "accounts" | "settings">,
  address: { email?: string; phone?: string },
): Promise<ResetTarget> {
  const identity = contactIdentity(address, settings);
  const requester = `${identity.kind}#${identity.key}`;
  const claim = await accounts.findClaim(identity);
  return claim?.status === "active"
    ? { key: hashedKey(claim.userId), identity, requester, claim }
    : { key: hashedKey(`decoy#${requester}`), identity, requester, claim: undefined };
}
