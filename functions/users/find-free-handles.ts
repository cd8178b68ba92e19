import { isUsableHandle } from "#shared/data/account/handle.ts";
import { handleIdentity } from "#shared/data/account/identity.ts";
import type { Deps } from "./deps.ts";

/** The first handles, at most `limit`, that somebody could take now. */
export async function findFreeHandles(
  { accounts, settings }: Deps,
  candidates: readonly string[],
  limit: number,
): Promise<string[]> {
  const usable = [...new Set(candidates)].filter((handle) => isUsableHandle(handle, settings));
  const claims = await accounts.findClaims(usable.map(handleIdentity));
  return usable.filter((_, index) => claims[index] === undefined).slice(0, limit);
}
