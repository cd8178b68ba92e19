import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { onConditionFailed, StaleReadError } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
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
    /** The last times that were taken, by the ids of their events. */
    given: z.record(z.string(), z.int()).optional(),
  }),
);

type ToldTime = Pick<Stored<typeof toldTime>, "toldAt" | "given">;

/** An event with its own time in unix milliseconds. */
export interface TimedEvent {
  readonly eventId: string;
  readonly time: number;
}

const keepSeconds = 86_400;
/** How many runs may send events of one conversation at once: it and its subconversations have separate lanes. */
const maxAttempts = 10;

/** The newest time that was sent for each conversation. Access pattern: by conversation. */
export class ToldTimes {
  readonly #table: Table<"notifications">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "notifications");
    this.#clock = context.clock;
  }

  /**
   * Take the next times of a conversation. Repeated events keep their last times, because a run that has lost its lease
   * may still send them.
   *
   * @param events in order, with their own times in unix milliseconds
   * @returns for each event a time that is later than all before, and not earlier than its own
   * @throws StaleReadError when others are faster
   */
  async take(conversationId: string, events: readonly TimedEvent[]): Promise<number[]> {
    let newest: ToldTime = { toldAt: 0 };
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { times, firstNew } = laterTimes(events, newest);
      if (firstNew === undefined) return times;
      const given = Object.fromEntries(events.map(({ eventId }, index) => [eventId, times[index]]));
      const found = await this.#put(conversationId, { firstNew, toldAt: times.at(-1), given });
      if (found === undefined) return times;
      newest = found;
    }
    throw new StaleReadError();
  }

  /** @returns the newest time if it is not earlier than the first new one */
  #put(
    conversationId: string,
    { firstNew, toldAt, given }: { firstNew: number; toldAt: number | undefined; given: object },
  ): Promise<ToldTime | undefined> {
    const update = this.#table.update(
      { stream: `told#${conversationId}`, position: "0" },
      {
        UpdateExpression: "SET toldAt = :last, given = :given, purgeAtSeconds = :purgeAt",
        ConditionExpression: "attribute_not_exists(toldAt) OR toldAt < :first",
        ExpressionAttributeValues: {
          ":first": firstNew,
          ":last": toldAt,
          ":given": given,
          ":purgeAt": toSeconds(this.#clock()) + keepSeconds,
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      },
    );
    return onConditionFailed(
      update.then(() => undefined),
      (existing) => toldTime.parse(existing),
    );
  }
}

/** @returns the times, and the first of them that was not given before */
function laterTimes(
  events: readonly TimedEvent[],
  { toldAt, given = {} }: ToldTime,
): { times: number[]; firstNew: number | undefined } {
  let last = toldAt;
  let firstNew: number | undefined;
  const times = events.map(({ eventId, time }) => {
    const known = given[eventId];
    // Events behind a new one get later times.
    if (known !== undefined && firstNew === undefined) return known;
    last = Math.max(time, last + 1);
    firstNew ??= last;
    return last;
  });
  return { times, firstNew };
}
