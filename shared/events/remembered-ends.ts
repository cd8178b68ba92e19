import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { StreamEnd } from "./notification.ts";

/** Maximum number of remembered ends, of some 250 bytes each; beyond it, the least recently used ones are forgotten. */
const maxRemembered = 100_000;
/**
 * How long an entry must still exist for its number to be remembered. Once it has expired, a log may begin again with
 * number 1, so this is far more than the clocks of two instances differ by.
 */
const marginSeconds = 60;
/** Weight of the latest observation of a remembered end. */
const weight = 1 / 20;
/** Share of remembered ends that may be behind: such an end costs an insert and a look, one look more than not having it. */
const tolerated = 1 / 3;

/**
 * The ends of logs, as far as this instance has written or read them. An end may be behind the log, because other
 * instances write, too, but never ahead of it.
 */
export class RememberedEnds {
  readonly #clock: Clock;
  /** The end that was used last comes last. */
  readonly #ends = new Map<string, StreamEnd>();
  readonly #max: number;
  /** Moving average: the share of remembered ends that turned out to be behind. */
  #shareBehind = 0;

  constructor({ clock, max = maxRemembered }: { clock: Clock; max?: number }) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Whether most ends are up to date. Where many instances share the work, most remembered ends are soon behind. */
  get areReliable(): boolean {
    return this.#shareBehind <= tolerated;
  }

  get(stream: string): StreamEnd | undefined {
    const end = this.#ends.get(stream);
    const mayBeUsed = end !== undefined && end.expiresAt - marginSeconds > toSeconds(this.#clock());
    return mayBeUsed ? end : undefined;
  }

  set(stream: string, { position, id, expiresAt }: StreamEnd): void {
    this.#ends.delete(stream);
    this.#ends.set(stream, { position, id, expiresAt });
    if (this.#ends.size <= this.#max) return;
    const [oldest = ""] = this.#ends.keys();
    this.#ends.delete(oldest);
  }

  /** Record whether a remembered end was up to date. */
  note(outcome: "up-to-date" | "behind"): void {
    this.#shareBehind += weight * ((outcome === "behind" ? 1 : 0) - this.#shareBehind);
  }
}
