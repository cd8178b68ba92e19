import type { Asset } from "./asset.ts";

/**
 * Milliseconds after which nobody can learn of a file any more that only its owner has read: as long as logs keep the
 * message that may name it.
 */
const unsentMilliseconds = 28 * 86_400_000;

/**
 * When a file of a deleted account is to be removed, in unix milliseconds: while others may read it for the first time,
 * it stays.
 * @returns undefined if others have read it
 */
export function removalOf({ state, createdAt }: Pick<Asset, "state" | "createdAt">): number | undefined {
  if (state === undefined) return undefined;
  return state === "arriving" ? createdAt : createdAt + unsentMilliseconds;
}
