import { networkOf, networksAround } from "#shared/platform/rate-limit/network.ts";
import { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";

/** Parts of a relay's places for uploads that one person may hold, and the people of one network together. */
const shares = { ofPayer: 1 / 20, ofNetwork: 1 / 2 };

/** When clients retry, one of the uploads that were under way may have ended. */
const retryAfterSeconds = 5;

/** The caller of an upload. */
export interface Uploader {
  /** The user whose budget pays for it. */
  readonly payerId: string;
  readonly sourceIp: string;
}

/**
 * The uploads under way in this process. A relay takes only so many: one person, who may let each trickle for hours,
 * must not keep others out. A function has one at a time, and no limit.
 */
export class UploadPlaces {
  readonly #most: number;
  readonly #held = new Map<string, number>();

  /** @param most uploads that the process takes at the same time */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /**
   * Hold a place.
   * @returns a function that frees it
   * @throws RateLimitedError
   */
  take({ payerId, sourceIp }: Uploader): () => void {
    const limits = [
      { holder: `payer#${payerId}`, share: shares.ofPayer },
      ...networksAround(networkOf(sourceIp)).map((network) => ({
        holder: `network#${network}`,
        share: shares.ofNetwork,
      })),
    ];
    for (const { holder, share } of limits) {
      const limit = Math.max(1, Math.floor(this.#most * share));
      if (this.#count(holder) >= limit) throw new RateLimitedError(retryAfterSeconds);
    }
    for (const { holder } of limits) this.#held.set(holder, this.#count(holder) + 1);
    return () => {
      for (const { holder } of limits) {
        const left = this.#count(holder) - 1;
        if (left > 0) this.#held.set(holder, left);
        else this.#held.delete(holder);
      }
    };
  }

  #count(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }
}
