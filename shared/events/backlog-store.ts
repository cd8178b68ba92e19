import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** The conversations and senders for which waiting messages are counted. */
export interface MessageSource {
  readonly conversationId?: string | undefined;
  readonly userId?: string | undefined;
}

const bucketsOf = ({ conversationId, userId }: MessageSource): string[] => [
  ...(conversationId === undefined ? [] : [`backlog#conversation#${conversationId}`]),
  ...(userId === undefined ? [] : [`backlog#sender#${userId}`]),
];

/**
 * Conversations and senders that send faster than their messages are delivered: each is marked for a few seconds, during which
 * further messages are refused. Access pattern: by conversation or sender.
 */
export class BacklogStore {
  readonly #table: Table<"rate-limits">;
  readonly #clock: Clock;
  readonly #settings: Settings;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "rate-limits");
    this.#clock = context.clock;
    this.#settings = context.config.settings;
  }

  /** Refuse further messages for a while. */
  async mark(sources: readonly MessageSource[]): Promise<void> {
    const until = this.#clock() + this.#settings.setMessageBacklog.pauseSecs * 1000;
    const buckets = new Set(sources.flatMap(bucketsOf));
    const items = [...buckets].map((bucket) => ({ bucket, until, purgeAtSeconds: toSeconds(until) + 1 }));
    await this.#table.putMany(items);
  }

  /**
   * @returns the error for a message that must wait, if any; callers throw it once they know that the sender may see it
   */
  async refusalOf(source: MessageSource): Promise<RateLimitedError | undefined> {
    const marks = await this.#table.getMany(bucketsOf(source).map((bucket) => ({ bucket })));
    const until = Math.max(0, ...marks.map((mark) => Number(mark.until)));
    const left = until - this.#clock();
    return left > 0 ? new RateLimitedError(left / 1000) : undefined;
  }
}
