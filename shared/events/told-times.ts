import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { onConditionFailed, StaleReadError } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";

const toldTime = storedItem(
  {
    table: "notifications",
    kind: "told-time",
    key: ["told#*", "*"],
    subject: {
      nobody: "the time of an event, for a day",
      mentions: "the user's conversation with themselves, which has the same id",
    },
  },
  storedObject({
    /** Unix milliseconds. */
    toldAt: z.int(),
  }),
);

const keepSeconds = 86_400;
/** Runs that tell events of one conversation at once: it and its subconversations have lanes of their own. */
const maxAttempts = 10;

/** The newest time that was told of each conversation. Access pattern: by conversation. */
export class ToldTimes {
  readonly #table: Table<"notifications">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "notifications");
    this.#clock = context.clock;
  }

  /**
   * Take the next times of a conversation.
   * @param times of its events, in order, in unix milliseconds
   * @returns for each event a time that is later than all before, and not earlier than its own
   * @throws StaleReadError when others are faster
   */
  async take(conversationId: string, times: readonly number[]): Promise<number[]> {
    let toldAt = 0;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const later = laterTimes(times, toldAt);
      const found = await this.#put(conversationId, later);
      if (found === undefined) return later;
      toldAt = found;
    }
    throw new StaleReadError();
  }

  /** @returns the newest time if it is not earlier than these */
  #put(conversationId: string, times: readonly number[]): Promise<number | undefined> {
    const update = this.#table.update(
      { stream: `told#${conversationId}`, position: "0" },
      {
        UpdateExpression: "SET toldAt = :last, purgeAtSeconds = :purgeAt",
        ConditionExpression: "attribute_not_exists(toldAt) OR toldAt < :first",
        ExpressionAttributeValues: {
          ":first": times[0],
          ":last": times.at(-1),
          ":purgeAt": toSeconds(this.#clock()) + keepSeconds,
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      },
    );
    return onConditionFailed(
      update.then(() => undefined),
      (existing) => toldTime.parse(existing).toldAt,
    );
  }
}

function laterTimes(times: readonly number[], after: number): number[] {
  let last = after;
  return times.map((time) => {
    last = Math.max(time, last + 1);
    return last;
  });
}
