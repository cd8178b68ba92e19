import type { StoreContext } from "../data/store-context.ts";
import type { Log } from "../log.ts";
import { emitMetric, type MetricName } from "../metrics.ts";
import { type CounterName, type Counters, Statistics } from "./statistics.ts";

const metrics: Readonly<Record<CounterName, MetricName>> = {
  activeUsers: "ActiveUsers",
  monthlyUsers: "MonthlyUsers",
  registrations: "Registrations",
  failedLogins: "FailedLogins",
  messages: "Messages",
  deliveries: "Deliveries",
};

/** Counters that are written for every count, because each user has few of them in a day. */
const exactCounters: ReadonlySet<string> = new Set<CounterName>([
  "activeUsers",
  "monthlyUsers",
  "registrations",
]);
const minute = 60_000;

/**
 * Counts what happens, in metrics and by day. Nothing is kept in memory, because an instance may lose it. Beyond some
 * writes a minute, only one of several is made, and counts for all of them. So the expected sum is exact, and the cost
 * bounded.
 */
export class Counts {
  readonly #statistics: Statistics;
  readonly #context: StoreContext & { readonly log: Log };
  readonly #random: () => number;
  #minute = 0;
  #writes = 0;

  /** @param random for tests */
  constructor(context: StoreContext & { readonly log: Log; readonly random?: () => number }) {
    this.#statistics = new Statistics(context);
    this.#context = context;
    this.#random = context.random ?? Math.random;
  }

  /** Never fails, because the counted event has already happened. */
  async add(counts: Partial<Counters>): Promise<void> {
    const { log } = this.#context;
    for (const [name, value] of Object.entries(counts) as [CounterName, number][])
      if (value > 0) emitMetric(metrics[name], { value, unit: "Count", usage: "all", log });
    const weight = Object.keys(counts).some((name) => exactCounters.has(name)) ? 1 : this.#weight();
    if (weight === 0) return;
    const weighted = Object.entries(counts).map(([name, value]) => [name, value * weight]);
    try {
      await this.#statistics.addCounts(Object.fromEntries(weighted));
    } catch (error) {
      log.warn("not-counted", { error: error as Error });
    }
  }

  /** The weight of the present count; 0 if it is left out. */
  #weight(): number {
    const { clock, config } = this.#context;
    const { sampleOneIn, exactPerMinute } = config.settings.statistics;
    const now = Math.floor(clock() / minute);
    if (now !== this.#minute) {
      this.#minute = now;
      this.#writes = 0;
    }
    if (this.#writes < exactPerMinute) {
      this.#writes++;
      return 1;
    }
    const oneIn = sampleOneIn ?? 16;
    return this.#random() * oneIn < 1 ? oneIn : 0;
  }
}
