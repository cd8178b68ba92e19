import { type FilePage, filesOf } from "#shared/platform/audit/verify-chain.ts";
import type { Records } from "./audit.ts";
import type { Entry } from "./audit-names.ts";
import type { InternalApi } from "./internal-api.ts";

/** Reads pages of files of a chain. @param from hour of the first file, such as `2026-11-27T05` */
export const pagesOf =
  (api: InternalApi, chain: string, from?: string) =>
  (start?: string): Promise<FilePage> =>
    api.read("/i/audit/files", {
      query: { chain, ...(from !== undefined && { from }), ...(start !== undefined && { start }) },
    });

/** Whole files of a chain, the oldest first. */
export async function* sealedFiles(api: InternalApi, chain: string, from?: string): AsyncGenerator<string> {
  for await (const { texts } of filesOf(pagesOf(api, chain, from))) yield* texts;
}

/** All records that a query of `i-list-audit-records` finds, hour by hour. */
export async function* recordsOf(
  api: InternalApi,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<Entry> {
  let start: string | undefined;
  do {
    const page: Records = await api.read("/i/audit", {
      query: { ...query, size: "500", ...(start !== undefined && { start }) },
    });
    yield* page.records;
    start = page.next;
  } while (start !== undefined);
}
