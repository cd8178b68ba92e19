/**
 * How many frames a client may send over one socket, in a burst and permanently. Clients ping every 20 seconds, and
 * acknowledge each event on `/events`, of which up to 500 are in flight.
 */
export const frameLimits = {
  pings: { burst: 20, perSecond: 1 },
  acknowledgements: { burst: 2000, perSecond: 200 },
} as const;

/** `pings` are all frames that acknowledge nothing. */
export type FrameKind = keyof typeof frameLimits;

/** The frames that one socket may still send. Times are unix milliseconds. */
export class FrameBudget {
  readonly #left: Record<FrameKind, number> = {
    pings: frameLimits.pings.burst,
    acknowledgements: frameLimits.acknowledgements.burst,
  };
  #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  /** @returns whether the socket may send this frame */
  take(kind: FrameKind, at: number): boolean {
    this.#refill(at);
    if (this.#left[kind] < 1) return false;
    this.#left[kind]--;
    return true;
  }

  /** Allow one more frame, even beyond the burst. */
  add(kind: FrameKind): void {
    this.#left[kind]++;
  }

  /** Whether the state equals that of a socket that has sent nothing. */
  isFull(at: number): boolean {
    this.#refill(at);
    return kinds.every((kind) => this.#left[kind] >= frameLimits[kind].burst);
  }

  /** Frames may be counted in another order than they were sent, so time must not go back. */
  #refill(at: number): void {
    const seconds = Math.max(0, at - this.#at) / 1000;
    if (seconds === 0) return;
    this.#at = at;
    for (const kind of kinds) {
      const { burst, perSecond } = frameLimits[kind];
      const left = this.#left[kind];
      if (left < burst) this.#left[kind] = Math.min(burst, left + seconds * perSecond);
    }
  }
}

const kinds = Object.keys(frameLimits) as FrameKind[];
