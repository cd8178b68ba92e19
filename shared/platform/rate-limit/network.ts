import ipaddr from "ipaddr.js";
import type { BucketLimits } from "./token-bucket.ts";

/**
 * Factor by which a /48 of IPv6 may do more than each of its 65,536 /64s. One customer can own all of them, but a
 * mobile operator also puts thousands of customers into one.
 */
const shareOfSite = 8;

/** A caller's network: an IPv4 address, or the /64 prefix of an IPv6 address. */
export function networkOf(address: string): string {
  const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")}::/64`
    : (parsed?.toString() ?? address);
}

/** The networks to charge for a network: itself and, for a /64, also its /48. */
export function networksAround(network: string): string[] {
  const [, site] = /^((?:[\da-f]+:){3})[\da-f]+::\/64$/.exec(network) ?? [];
  return site === undefined ? [network] : [network, `${site}:/48`];
}

/** The limit of a network if an IPv4 address or a /64 has `limit`. */
export const limitOf = (network: string, limit: number): number =>
  network.endsWith("/48") ? limit * shareOfSite : limit;

/** The bucket of a network if that of an IPv4 address or a /64 has these limits. */
export const bucketLimitsOf = (network: string, { burst, refillSeconds }: BucketLimits): BucketLimits => ({
  burst: limitOf(network, burst),
  refillSeconds: refillSeconds / limitOf(network, 1),
});

/** A bucket or budget by name, or those of a caller's network, which are charged together. */
export type Bucket = string | NetworkBucket;

interface NetworkBucket {
  readonly scope: string;
  readonly network: string;
}

/** Bucket of a caller's network; for IPv6, that of the /48 is charged, too. */
export const networkBucket = (scope: string, address: string): NetworkBucket => ({
  scope,
  network: networkOf(address),
});

/** Names of a bucket, each with the network it is for, if any. */
export const namesOf = (bucket: Bucket): { name: string; network: string }[] =>
  typeof bucket === "string"
    ? [{ name: bucket, network: "" }]
    : networksAround(bucket.network).map((network) => ({ name: `${bucket.scope}#${network}`, network }));
