import type * as z from "zod";
import { type selfProfile, toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { hasFixedHandle } from "#shared/accounts/self/fixed-identity.ts";
import { ownAccount } from "#shared/accounts/self/own-account.ts";
import type { Deps } from "./deps.ts";

/**
 * Get the caller's own profile. Clients read from `managed_by` whether name and handle can be changed.
 *
 * @throws ApiError `not-found`
 * @see operation `get-self`
 */
export async function getSelf(deps: Deps, userId: string): Promise<z.input<typeof selfProfile>> {
  const { clock, settings } = deps;
  const account = await ownAccount(deps, userId);
  const profile = toSelfProfile(account, settings, clock());
  return (await hasFixedHandle(deps, account)) ? { ...profile, managed_by: "scim" } : profile;
}
