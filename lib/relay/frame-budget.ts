/** Frames that a client may send: in one go, and then per second. */
const limits = {
  /** Clients ping every 20 seconds. */
  ping: { burst: 20, perSecond: 1 },
  /** Acknowledgements: of all events in flight several times over. */
  frame: { burst: 2000, perSecond: 200 },
} as const;

/** What one client may still send: a token bucket for each kind of frame. */
export class FrameBudget {
  readonly #buckets = {
    ping: { tokens: limits.ping.burst as number, at: 0 },
    frame: { tokens: limits.frame.burst as number, at: 0 },
  };

  /** @returns whether there was a token left @param now in milliseconds */
  spend(now: number, kind: keyof typeof limits): boolean {
    const { burst, perSecond } = limits[kind];
    const bucket = this.#buckets[kind];
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond) - 1;
    bucket.at = now;
    return bucket.tokens >= 0;
  }
}
