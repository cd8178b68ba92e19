import { Resolver } from "node:dns/promises";
import type { Log } from "#shared/platform/log.ts";

/** Errors for a record that does not exist, as opposed to a failed look-up. */
const absences = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/**
 * Look up the texts of the TXT records at a name, each joined from its parts. A look-up that fails or takes too long is
 * logged and returns none.
 *
 * @param dns.resolvers addresses of the only servers to ask
 */
export async function txtRecords(
  name: string,
  { resolvers, timeoutMilliseconds, log }: { resolvers: string[]; timeoutMilliseconds: number; log: Log },
): Promise<string[]> {
  // The second attempt may take twice as long as the first.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMilliseconds / 3), tries: 2 });
  resolver.setServers(resolvers);
  const deadline = setTimeout(() => resolver.cancel(), timeoutMilliseconds);
  try {
    const records = await resolver.resolveTxt(name);
    return records.map((parts) => parts.join(""));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!absences.has(code ?? "")) log.warn("dns-lookup-failed", { name, code });
    return [];
  } finally {
    clearTimeout(deadline);
  }
}
