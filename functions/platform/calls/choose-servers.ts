/** Copy in random order (Fisher–Yates shuffle). */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other] as Item, result[last] as Item];
  }
  return result;
}

const isTls = (url: string) => url.startsWith("turns:");
const isTcp = (url: string) => !isTls(url) && url.endsWith("?transport=tcp");
/** True also for a URL without a transport (RFC 7065 §3.1). */
export const isUdp = (url: string) => !isTls(url) && !isTcp(url);

/** Interleave the transports: the first UDP, TLS and TCP server, then the second of each, and so on. */
export function byTransport(urls: readonly string[]): string[] {
  const kinds = [isUdp, isTls, isTcp].map((isKind) => urls.filter(isKind));
  return urls.flatMap((_, round) => kinds.flatMap((kind) => kind.slice(round, round + 1)));
}
