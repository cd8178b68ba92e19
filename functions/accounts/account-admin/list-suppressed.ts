import * as z from "zod";
import type { NewestPage } from "#shared/platform/data/newest-first.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import type { Deps } from "./deps.ts";
import { suppressionList, type suppressionPage } from "./schemas.ts";

/** List one page of the addresses that get no mail. @see operation `i-list-mail-suppressions` */
export async function listSuppressed(
  { suppressions }: Deps,
  page: NewestPage,
): Promise<z.input<typeof suppressionPage>> {
  const { suppressions: listed, last } = await suppressions.pageOfNewest(page);
  return {
    suppressions: listed.map(({ address, reason, reportedAt, expiresAtSeconds }) => ({
      email: address,
      reason,
      reported_at: reportedAt,
      expires_at: toUtcSecond(expiresAtSeconds * 1000),
    })),
    ...(last !== undefined && { next: z.encode(suppressionList.cursor, last) }),
  };
}
