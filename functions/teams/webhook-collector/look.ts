import { hourOf } from "#shared/platform/audit/audit-record.ts";
import type { ChangesFound } from "#shared/platform/audit/changes-of-all.ts";
import { type ChangeRange, type PlacedRecord, timeOf } from "#shared/platform/audit/place.ts";
import { eventsOf, installationChain, type Webhook } from "#shared/teams/webhooks/webhook.ts";
import type { Deps } from "./deps.ts";

const hourMilliseconds = 3_600_000;
/** Events that are held at once. */
const mostHeld = 10_000;

interface Range {
  readonly from: string;
  /** Time, exclusive. */
  readonly end: string;
}

interface Bounds {
  /** Number of events that there is room for now. */
  readonly room: () => number;
  readonly isTimeUp: () => boolean;
}

/** A piece of a range. */
interface Look {
  /** Events of the webhook's kinds, in order. */
  readonly found: readonly PlacedRecord[];
  /** Changes that were looked at. */
  readonly read: number;
  /** Place up to which all events have been found. */
  readonly upTo: string;
}

/** Look for a webhook's events, hour by hour and in order, as long as there is time and room. A range with too many changes is halved. */
export async function* lookFor(
  deps: Deps,
  webhook: Webhook,
  { from, end }: Range,
  { room, isTimeUp }: Bounds,
): AsyncGenerator<Look> {
  let after = from;
  let span = hourMilliseconds;
  while (after < end && room() > 0 && !isTimeUp()) {
    const time = timeOf(after);
    const hour = hourOf(Date.parse(time));
    const before = [end, startOfNext(hour), later(time, span)].reduce((one, other) =>
      one < other ? one : other,
    );
    const range = { after, before };
    const limit = Math.min(room(), mostHeld);
    const look = await changesOf(deps, webhook, hour, range, { limit, isTimeUp });
    if (look === undefined) {
      span /= 2;
      continue;
    }
    after = look.upTo;
    yield look;
  }
}

async function changesOf(
  { audit }: Deps,
  { chain, kinds }: Webhook,
  hour: string,
  range: ChangeRange,
  bounds: { limit: number; isTimeUp: () => boolean },
): Promise<Look | undefined> {
  const events = eventsOf(kinds);
  if (chain === installationChain) {
    const changes = await audit.oldestOfAll(hour, range, { events, ...bounds });
    return changes && { ...changes, upTo: upToOf(changes, range) };
  }
  const found: PlacedRecord[] = [];
  let read = 0;
  let upTo = range.before;
  for await (const change of audit.changesOf(chain, hour, range)) {
    read++;
    if (events.includes(change.record.event)) found.push(change);
    if (found.length < bounds.limit && !bounds.isTimeUp()) continue;
    upTo = change.place;
    break;
  }
  return { found, read, upTo };
}

const upToOf = ({ found, isComplete }: ChangesFound, { before }: ChangeRange) =>
  isComplete ? before : (found.at(-1)?.place ?? before);

const later = (time: string, milliseconds: number) => new Date(Date.parse(time) + milliseconds).toISOString();

const startOfNext = (hour: string) => later(`${hour}:00:00.000Z`, hourMilliseconds);
