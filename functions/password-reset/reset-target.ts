import type { Claim } from "#shared/data/account/account.ts";
import { type ContactIdentity, contactIdentity } from "#shared/data/account/identity.ts";
import { hashedKey } from "#shared/data/code/code-store.ts";
import type { Deps } from "./deps.ts";

/** Where the reset of an address is kept, and whose it is. */
export interface ResetTarget {
  readonly key: string;
  readonly identity: ContactIdentity;
  /** The identity as a text, to tell who asks. */
  readonly asker: string;
  /** Absent when no account may be reset by this identity. */
  readonly claim: Claim | undefined;
}

/**
 * The place for the reset of an address: under its account when that may be reset, else under a decoy, so that both
 * behave alike from outside.
 *
 * @throws ApiError `invalid-email`, `invalid-phone`
 */
export async function resetTarget(
  { accounts, settings }: Pick<Deps, "accounts" | "settings">,
  address: { email?: string; phone?: string },
): Promise<ResetTarget> {
  const identity = contactIdentity(address, settings);
  const asker = `${identity.kind}#${identity.key}`;
  const claim = await accounts.findClaim(identity);
  return claim?.status === "active"
    ? { key: hashedKey(claim.userId), identity, asker, claim }
    : { key: hashedKey(`decoy#${asker}`), identity, asker, claim: undefined };
}
