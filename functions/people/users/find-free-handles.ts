import { isUsableHandle } from "#shared/accounts/handle.ts";
import { handleIdentity } from "#shared/accounts/identity.ts";
import type { Deps } from "./deps.ts";

/** Find the first `limit` candidates that are valid handles and free. */
export async function findFreeHandles(
  { accounts, settings }: Deps,
  candidates: readonly string[],
  limit: number,
): Promise<string[]> {
  const usable = [...new Set(candidates)].filter((handle) => isUsableHandle(handle, settings));
  const claims = await accounts.findClaims(usable.map(handleIdentity));
  return usable.filter((_, index) => claims[index] === undefined).slice(0, limit);
}
