import * as z from "zod";
import type { Deps } from "./deps.ts";
import { blockedCursor, type blockedPage } from "./schemas.ts";

/** List one page of the block-list. @see operation `i-list-blocked-addresses` */
export async function listBlocked(
  { accounts }: Deps,
  page: { limit: number; after: string | undefined },
): Promise<z.input<typeof blockedPage>> {
  const { blocked, last } = await accounts.pageOfBlocks(page);
  return {
    blocked: blocked.map(({ kind, key }) => ({ kind, address: key })),
    ...(last !== undefined && { next: z.encode(blockedCursor, { after: last }) }),
  };
}
