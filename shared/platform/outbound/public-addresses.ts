import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** All addresses of a host name, found within the time limit. */
export type Resolve = (
  hostname: string,
  limits: { readonly timeoutMilliseconds: number },
) => Promise<LookupAddress[]>;

/** A host that must not be called, because one of its addresses is not public. */
export class ForbiddenAddressError extends Error {
  override readonly name = "ForbiddenAddressError";
}

const globalUnicast = ipaddr.IPv6.parse("2000::");

/**
 * Whether an address is public: not loopback, link-local (where clouds serve metadata), private, shared, reserved, or
 * an IPv6 form of such an address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return !(address instanceof ipaddr.IPv6) || address.match(globalUnicast, 3);
}

/**
 * Resolve a host to the addresses to connect to; resolving the name again might give others.
 *
 * @param hostname name or address, an IPv6 address without brackets
 * @throws ForbiddenAddressError when one is not public, and only public ones are allowed
 */
export async function resolveHost(
  hostname: string,
  {
    allowsPrivate,
    timeoutMilliseconds,
    resolve = resolveByDns,
  }: { allowsPrivate: boolean; timeoutMilliseconds: number; resolve?: Resolve | undefined },
): Promise<LookupAddress[]> {
  const family = isIP(hostname);
  const addresses =
    family === 0 ? await resolve(hostname, { timeoutMilliseconds }) : [{ address: hostname, family }];
  if (!allowsPrivate && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new ForbiddenAddressError(hostname);
  return addresses;
}

/**
 * Resolve a name to all its addresses, by the hosts file or else by DNS. `dns.lookup` would use one of the few threads
 * of libuv's pool, and hold it until a name server answers, even beyond the caller's time limit.
 *
 * @param options.servers to ask, instead of those of the system
 * @throws Node's error when there is no address, or none in time
 */
export async function resolveByDns(
  hostname: string,
  { timeoutMilliseconds, servers }: { timeoutMilliseconds: number; servers?: readonly string[] },
): Promise<LookupAddress[]> {
  const local = await localAddresses(hostname);
  if (local.length > 0) return local;
  // The second attempt may take twice as long as the first.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMilliseconds / 3), tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  // The resolver's own time limit applies to each server.
  const deadline = setTimeout(() => resolver.cancel(), timeoutMilliseconds);
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...listOf(ipv4, 4), ...listOf(ipv6, 6)];
    if (found.length === 0 && ipv4.status === "rejected") throw ipv4.reason;
    return found;
  } finally {
    clearTimeout(deadline);
  }
}

const listOf = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];

/** Addresses that no name server is asked for: those of `localhost` (RFC 6761) and of the names in the hosts file. */
async function localAddresses(hostname: string): Promise<LookupAddress[]> {
  const wanted = hostname.toLowerCase().replace(/\.$/, "");
  const text = await readFile("/etc/hosts", "utf8").catch(() => "");
  const listed = text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return names.some((name) => name.toLowerCase() === wanted) ? [address] : [];
  });
  const isLocal = wanted === "localhost" || wanted.endsWith(".localhost");
  const addresses = listed.length === 0 && isLocal ? ["127.0.0.1", "::1"] : listed;
  return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}
