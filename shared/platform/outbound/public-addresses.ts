import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { resolveByDns } from "./resolve-by-dns.ts";

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
