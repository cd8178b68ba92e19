import type { Table } from "../data/table.ts";
import { partsOf } from "./audit-record.ts";
import { type ChangeRange, type PlacedRecord, splitEntry, timeOf, toPlaced } from "./place.ts";

/**
 * Items of a read: as many as a read unit has, or twice as many as before while reads skip little, because all items
 * are wanted or chains are short. Some reads are large enough to show how long chains are; if they are short,
 * everything is read from there on.
 */
const pageSizes = { least: 7, probing: 128, most: 1024 };
/** Average number of items of a chain from which skipping costs less than reading. */
const worthSkipping = 16;
/** Number of reads before the first probing one; it doubles after each. */
const firstProbe = 8;
/**
 * Number of skips in a part after which its rest is read, so that the calls fit into a run for any number of chains.
 */
const mostSkips = 300;

/** Number of changes beyond which a range is given up: 40 MB. */
const mostRead = 100_000;

export interface ChangesSought {
  /** Names of the events that are wanted. */
  readonly events: readonly string[];
  readonly limit: number;
  readonly isTimeUp: () => boolean;
}

/** Changes that were found, in the order of their places. */
export interface ChangesFound {
  readonly found: readonly PlacedRecord[];
  /** Changes that were looked at. */
  readonly read: number;
  /** Whether all changes of the range were found. */
  readonly isComplete: boolean;
}

/**
 * The oldest changes of an hour within a range, of all chains. The cost depends on the number of chains and of changes
 * in the range, but hardly on earlier changes.
 * @returns undefined if time ran out, or the range has too many changes
 */
export async function oldestOfAll(
  table: Table<"audit">,
  hour: string,
  { after, before }: ChangeRange,
  { events, limit, isTimeUp }: ChangesSought,
): Promise<ChangesFound | undefined> {
  const range = { after, before };
  const found: PlacedRecord[] = [];
  let read = 0;
  const isTooMuch = () => read > mostRead || isTimeUp();
  const keepOldest = () => {
    found.sort((one, other) => (one.place < other.place ? -1 : 1));
    if (found.length <= limit) return;
    found.splice(limit);
    range.before = found.at(-1)?.place ?? before;
  };
  await Promise.all(
    partsOf(hour).map(async (part) => {
      for await (const changes of changesOfPart(table, part, range)) {
        read += changes.length;
        if (isTooMuch()) return;
        found.push(...changes.filter(({ record }) => events.includes(record.event)));
        if (found.length >= 2 * limit) keepOldest();
      }
    }),
  );
  keepOldest();
  return isTooMuch() ? undefined : { found, read, isComplete: range.before === before };
}

/**
 * The changes of a part of an hour that are within a range, page by page. The part is sorted by chain first. So after
 * each page, unless its last item is within the range, reading skips to where the range begins in the chain of that
 * item, or to the next chain.
 * @param range may become shorter meanwhile
 */
async function* changesOfPart(
  table: Table<"audit">,
  part: string,
  range: ChangeRange,
): AsyncGenerator<PlacedRecord[]> {
  let from: string | undefined;
  let size = pageSizes.least;
  let skips = 0;
  let readsAll = false;
  for (;;) {
    const { Items = [], LastEvaluatedKey } = await table.page(
      part,
      query(from, size, readsAll ? range : undefined),
    );
    const inRange = Items.filter((item) => {
      const { place } = splitEntry(item);
      return place > range.after && place < range.before;
    });
    yield inRange.map(toPlaced);
    if (LastEvaluatedKey === undefined) return;
    from = nextStart(splitEntry(LastEvaluatedKey), range);
    if (readsAll) continue;
    const chains = new Set(Items.map((item) => splitEntry(item).chain));
    const areShort = chains.size > Math.max(1, size / worthSkipping);
    readsAll = (areShort && size >= pageSizes.probing) || skips >= mostSkips;
    if (readsAll) {
      size = pageSizes.most;
    } else if (areShort || inRange.length === Items.length) {
      size = Math.min(2 * size, pageSizes.most);
    } else {
      skips++;
      const isProbe = skips >= firstProbe && Number.isInteger(Math.log2(skips));
      size = isProbe ? pageSizes.probing : pageSizes.least;
    }
  }
}

/** A query after an entry. @param only leave out changes outside the times of this range */
function query(from: string | undefined, size: number, only: ChangeRange | undefined) {
  return {
    Limit: size,
    ...(from !== undefined && { range: "entry > :from" }),
    ...(only !== undefined && {
      FilterExpression: "#time BETWEEN :after AND :before",
      ExpressionAttributeNames: { "#time": "time" },
    }),
    ExpressionAttributeValues: {
      ...(from !== undefined && { ":from": from }),
      ...(only !== undefined && { ":after": timeOf(only.after), ":before": timeOf(only.before) }),
    },
  };
}

function nextStart(
  { chain, place }: { chain: string; place: string },
  { after, before }: ChangeRange,
): string {
  if (place <= after) return `${chain}#${after}`;
  // `$` follows `#`, so this skips the rest of the chain; refused attempts sort after all times.
  return place < before ? `${chain}#${place}` : `${chain}$`;
}
