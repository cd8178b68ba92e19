import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { Clock } from "./clock.ts";
import type { StoreContext } from "./data/store-context.ts";
import { storedItem, storedObject } from "./data/stored-item.ts";
import { Table } from "./data/table.ts";
import type { Log } from "./log.ts";
import { emitMetric } from "./metrics.ts";
import type { SwitchName } from "./product.ts";

/** How long a function uses the last known state of a switch. */
const lifetimeMilliseconds = 60_000;
/** How long after a read that failed or took too long the next one begins. */
const retryMilliseconds = 10_000;
/** How long a request waits for a read. */
const patienceMilliseconds = 1000;

/** An item exists as long as the operation is paused. */
const pauseItem = storedItem(
  { table: "switches", kind: "pause", key: ["*"], subject: { nobody: "set by operators" } },
  storedObject({ switch: z.string(), pausedAt: z.iso.datetime(), reason: z.string().optional() }),
);

export type Pause = z.output<typeof pauseItem.schema>;

/**
 * Whether operators have paused something. Each function reads a switch at most once a minute. If a read fails, the
 * last known state stays, and an unknown one counts as not paused: a fault of the store must not switch anything off.
 * Access pattern: by name.
 */
export class Switches {
  readonly #table: Table<"switches">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #known = new Map<SwitchName, { readonly isPaused: boolean; readonly validUntil: number }>();
  readonly #reads = new Map<SwitchName, Promise<boolean>>();

  constructor(context: StoreContext & { readonly log: Log }) {
    this.#table = new Table(context, "switches");
    this.#clock = context.clock;
    this.#log = context.log;
  }

  /** Never fails, and takes a second at most. */
  async isPaused(name: SwitchName): Promise<boolean> {
    const known = this.#known.get(name);
    if (known !== undefined && this.#clock() < known.validUntil) return known.isPaused;
    const read = this.#reads.get(name) ?? this.#read(name, known?.isPaused ?? false);
    this.#reads.set(name, read);
    return read;
  }

  async #read(name: SwitchName, before: boolean): Promise<boolean> {
    const late = delay(patienceMilliseconds, undefined, { ref: false }).then(() => {
      throw new Error("It took too long");
    });
    let isPaused = before;
    let lifetime = lifetimeMilliseconds;
    try {
      isPaused = (await Promise.race([this.#table.get({ switch: name }), late])) !== undefined;
    } catch (error) {
      lifetime = retryMilliseconds;
      this.#log.error("switch-not-read", { name, isPaused, error: error as Error });
    }
    this.#known.set(name, { isPaused, validUntil: this.#clock() + lifetime });
    this.#reads.delete(name);
    if (isPaused)
      emitMetric("PausedOperations", { value: 1, unit: "Count", service: "switches", log: this.#log });
    return isPaused;
  }

  /** The paused ones among some switches. */
  async list(names: readonly SwitchName[]): Promise<Pause[]> {
    const items = await this.#table.getMany(names.map((name) => ({ switch: name })));
    return items.map((item) => pauseItem.parse(item));
  }

  /** Takes effect in all functions within a minute. */
  async pause(name: SwitchName, reason?: string): Promise<void> {
    await this.#table.put({ switch: name, pausedAt: new Date(this.#clock()).toISOString(), reason });
  }

  /** Takes effect in all functions within a minute. */
  async resume(name: SwitchName): Promise<void> {
    await this.#table.delete({ switch: name });
  }
}
