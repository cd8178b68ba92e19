import type { SrvRecord } from "node:dns";
import { Resolver } from "node:dns/promises";
import * as z from "zod";
import type { Runtime } from "#shared/runtime/runtime.ts";

/** How long a DNS response is used. */
const lifetimeSeconds = 60;
/** How long a failure is remembered, so that callers do not wait for the DNS again and again. */
const failureLifetimeSeconds = 10;
const timeoutMilliseconds = 1500;

/** Does not match a dot, which stands for a service that is not offered (RFC 2782). */
const hostName = z.hostname();

/** SFT servers of the operator, found through SRV records (RFC 2782). Queries the DNS once per container and minute. */
export class SftDirectory {
  readonly #runtime: Pick<Runtime, "clock" | "log" | "settings">;
  readonly #resolve: typeof resolveSrv;
  #known: { urls: Promise<string[]>; until: number } | undefined;

  constructor(runtime: Pick<Runtime, "clock" | "log" | "settings">, resolve = resolveSrv) {
    this.#runtime = runtime;
    this.#resolve = resolve;
  }

  /** Base URLs, preferred servers first; empty when discovery is not set up or fails. */
  async urls(): Promise<string[]> {
    const { clock, settings } = this.#runtime;
    if (settings.setSft === undefined) return [];
    if (this.#known === undefined || clock() >= this.#known.until) {
      const { service, baseDomain } = settings.setSft;
      this.#known = {
        urls: this.#discover(`_${service}._tcp.${baseDomain}`),
        until: clock() + lifetimeSeconds * 1000,
      };
    }
    return this.#known.urls;
  }

  async #discover(name: string): Promise<string[]> {
    try {
      return toUrls(await this.#resolve(name));
    } catch (error) {
      const { clock, log } = this.#runtime;
      log.warn("sft-discovery-failed", { name, error: error as Error });
      if (this.#known) this.#known.until = clock() + failureLifetimeSeconds * 1000;
      return [];
    }
  }
}

async function resolveSrv(name: string): Promise<SrvRecord[]> {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries: 1 });
  // The resolver's own timeout applies to each name server.
  const timer = setTimeout(() => resolver.cancel(), timeoutMilliseconds);
  try {
    return await resolver.resolveSrv(name);
  } finally {
    clearTimeout(timer);
  }
}

/** Orders servers as RFC 2782 asks: by priority, then at random, with greater weights likelier first. */
function toUrls(records: readonly SrvRecord[]): string[] {
  return records
    .map((record) => ({ ...record, draw: -Math.log(1 - Math.random()) / (record.weight || 0.01) }))
    .sort((one, other) => one.priority - other.priority || one.draw - other.draw)
    .map(({ name, port }) => ({ host: name.replace(/\.$/, ""), port }))
    .filter(({ host }) => hostName.safeParse(host).success)
    .map(({ host, port }) => new URL(`https://${host}:${port}`).origin);
}
