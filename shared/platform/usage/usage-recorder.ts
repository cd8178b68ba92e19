import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { withScope } from "../scope.ts";
import type { Handled, Meter, Sample } from "./sample.ts";
import type { Consumption, Statistics } from "./statistics.ts";

/** How long anybody waits for a record. */
const patienceMilliseconds = 500;
/** Memory of functions outside of Lambda. */
const usualMegabytes = 1024;

interface Context {
  readonly statistics: Pick<Statistics, "addConsumption">;
  readonly config: Pick<Config, "settings" | "memoryMegabytes">;
  readonly log: Log;
  /** For tests. */
  readonly random?: () => number;
}

/** Measures a sample of the work of a function, and adds it with its weight to the consumption of its payers. */
export class UsageRecorder {
  readonly #context: Context;
  readonly #random: () => number;

  constructor(context: Context) {
    this.#context = context;
    this.#random = context.random ?? Math.random;
  }

  /** Handle a request, which is measured at random. */
  async request<Result>(task: () => Promise<Result>): Promise<Result> {
    const { sampleOneIn } = this.#context.config.settings.statistics;
    if (sampleOneIn === null || this.#random() * sampleOneIn >= 1) return task();
    const sample: Sample = { oneIn: sampleOneIn };
    const finish = this.#start();
    const meter = newMeter();
    try {
      return await withScope({ sample, meter }, task);
    } finally {
      await this.#add(sample, { requests: 1, ...finish(), ...meter }, 1);
    }
  }

  /** Handle a batch of a worker; see `noteHandled`. @param queuedMessages how many messages of a queue it has */
  async batch<Result>(queuedMessages: number, task: () => Promise<Result>): Promise<Result> {
    if (this.#context.config.settings.statistics.sampleOneIn === null) return task();
    const finish = this.#start();
    const meter = newMeter();
    const handled: Handled[] = [];
    try {
      return await withScope({ handled, meter }, task);
    } finally {
      const whole = handled.reduce((sum, { weight }) => sum + weight, 0);
      const sampled = handled.flatMap(({ sample, weight }) =>
        sample === undefined ? [] : [{ sample, weight }],
      );
      const consumption = { ...finish(), ...meter, queuedMessages };
      const bySample = Map.groupBy(sampled, ({ sample: { payer, oneIn } }) => JSON.stringify([payer, oneIn]));
      await Promise.all(
        [...bySample.values()].map((same) => {
          const part = same.reduce((sum, { weight }) => sum + weight, 0) / whole;
          return this.#add((same[0] as Handled & { sample: Sample }).sample, consumption, part);
        }),
      );
    }
  }

  #start(): () => Pick<Consumption, "invocations" | "gigabyteSeconds"> {
    const startedAt = performance.now();
    const { memoryMegabytes = usualMegabytes } = this.#context.config;
    return () => ({
      invocations: 1,
      gigabyteSeconds: ((performance.now() - startedAt) / 1000) * (memoryMegabytes / 1024),
    });
  }

  /** Never fails, and takes half a second at most, so that measuring delays nobody. */
  async #add({ payer, oneIn }: Sample, consumption: Partial<Consumption>, part: number): Promise<void> {
    const { log, statistics } = this.#context;
    const counted = Object.entries(consumption).map(([name, value]) => [name, rounded(value * part * oneIn)]);
    const sums: Partial<Consumption> = Object.fromEntries(counted);
    // The record itself, which is made only once.
    const recorded = { ...sums, writeUnits: (sums.writeUnits ?? 0) + 1 };
    const late = delay(patienceMilliseconds, undefined, { ref: false });
    const adding = statistics
      .addConsumption(payer, recorded)
      .catch((error) => log.warn("usage-not-recorded", { error: error as Error }));
    await Promise.race([adding, late]);
  }
}

const newMeter = (): Meter => ({ readUnits: 0, writeUnits: 0, frames: 0 });

/** DynamoDB accepts 38 digits, and sums of JavaScript may have more. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
