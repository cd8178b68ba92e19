import type { Claim } from "#shared/data/account/account.ts";
import { type ContactIdentity, contactIdentity } from "#shared/data/account/identity.ts";
import { hashedKey } from "#shared/data/code/code-store.ts";
import type { Deps } from "./deps.ts";

/**
 * Where the reset of an address is kept: under its account when that may be reset, else under a decoy, so that both
 * behave alike from outside.
 *
 * @throws ApiError `invalid-email`, `invalid-phone`
 */
export async function resetKey(
  { accounts, settings }: Pick<Deps, "accounts" | "settings">,
  address: { email?: string; phone?: string },
): Promise<{ key: string; identity: ContactIdentity; claim: Claim | undefined }> {
  const identity = contactIdentity(address, settings);
  const claim = await accounts.findClaim(identity);
  return claim?.status === "active"
    ? { key: hashedKey(claim.userId), identity, claim }
    : { key: hashedKey(`decoy ${identity.key}`), identity, claim: undefined };
}
