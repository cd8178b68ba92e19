import pLimit from "p-limit";
import type { Clock } from "#shared/platform/clock.ts";
import { jitter } from "#shared/platform/data/conditions.ts";
import { type Content, millisecondsOf, type Notification, type StreamEnd } from "./notification.ts";
import type { NotificationStore } from "./notification-store.ts";
import { RememberedEnds } from "./remembered-ends.ts";

/** An event for a log. */
export interface LogEvent {
  readonly eventId: string;
  /** Unix milliseconds. */
  readonly committedAt: number;
  /** Whether the log may have it already. */
  readonly isRepeated: boolean;
  /** Whether the log has no events from before it. */
  readonly isFirst?: boolean;
  readonly clientIds?: readonly string[];
  /** The event as its recipient sees it, as JSON, unless a part of it is large and so stored separately. */
  readonly text?: string;
  /** Content of its notification if it is the only event. */
  readonly content: Content;
  /** Only events with equal values may become one notification. */
  readonly audience: string;
}

/** The outcome for one log: the notifications in order, or why not all events are stored. */
export interface Appended {
  readonly notifications: { readonly notification: Notification; readonly event: LogEvent }[];
  readonly error?: unknown;
}

/** Size up to which events waiting for one log share a notification. */
const maxSharedNotificationBytes = 16 * 1024;
/** Attempts at one round, when other writers are faster or single inserts fail. */
const maxAttempts = 6;
/** Page size when looking for events that were stored before. */
const oneEntry = 1;
/** Logs that are looked at concurrently. */
const maxLooks = 50;

/** Events that become one notification. */
type Draft = readonly [LogEvent, ...LogEvent[]];

/** A log that is being written. */
interface Work {
  readonly stream: string;
  drafts: Draft[];
  /** Undefined if the log seems to be empty. */
  end: StreamEnd | undefined;
  /** Whether the end comes from memory and may therefore be behind. */
  isFromMemory: boolean;
  readonly done: Appended["notifications"];
  attempts: number;
  error?: unknown;
}

/**
 * Appends to many logs in few calls. It remembers the ends of the logs that it has written, and takes the next sequence
 * number without looking; if another writer was faster, it looks. Memory is only an optimisation, because every insert
 * is conditional on its number being free: writers of any version, also those that note ends in the table, may work at
 * the same time.
 */
export class LogWriter {
  readonly #notifications: NotificationStore;
  readonly #ends: RememberedEnds;
  readonly #looks = pLimit(maxLooks);

  constructor({ notifications, clock }: { notifications: NotificationStore; clock: Clock }) {
    this.#notifications = notifications;
    this.#ends = new RememberedEnds({ clock });
  }

  /** Append to each log, in order, the events that it lacks. After a failure, only the rest of that log is skipped. */
  async append(logs: ReadonlyMap<string, readonly LogEvent[]>): Promise<Map<string, Appended>> {
    const works = [...logs].map(([stream, events]): Work => {
      const end = this.#ends.get(stream);
      return {
        stream,
        drafts: toDrafts(events),
        end,
        isFromMemory: end !== undefined,
        done: [],
        attempts: 0,
      };
    });
    await Promise.all(works.filter((work) => this.#mustLookFirst(work)).map((work) => this.#look(work)));
    for (;;) {
      const open = works.filter(({ drafts, error }) => drafts.length > 0 && error === undefined);
      if (open.length === 0) break;
      await this.#appendOne(open);
    }
    return new Map(works.map(({ stream, done, error }) => [stream, { notifications: done, error }]));
  }

  /** That a log is new is a guess, checked by the first insert. */
  #mustLookFirst({ drafts, end }: Work): boolean {
    const events = drafts.flat();
    if (events.some(({ isRepeated }) => isRepeated)) return true;
    return end === undefined ? !events.some(({ isFirst = false }) => isFirst) : !this.#ends.areReliable;
  }

  /** Appends the next notification of each log. */
  async #appendOne(works: readonly Work[]): Promise<void> {
    const entries = works.map((work) => ({
      work,
      stream: work.stream,
      entry: this.#notifications.entryAfter(work.end, toNotification(work.drafts[0] as Draft)),
    }));
    const outcomes = await this.#notifications
      .insertEach(entries)
      .catch((error: unknown) => entries.map(() => error));
    let slowest = 0;
    await Promise.all(
      entries.map(async ({ work, entry }, index) => {
        const outcome = outcomes[index];
        if (outcome === "inserted" || outcome === "exists") this.#noteMemory(work, outcome === "inserted");
        if (outcome === "inserted") {
          const [event] = work.drafts.shift() as Draft;
          work.done.push({ notification: entry, event });
          this.#setEnd(work, entry);
          work.attempts = 0;
          return;
        }
        work.attempts++;
        slowest = Math.max(slowest, work.attempts);
        if (work.attempts === maxAttempts) work.error = new Error(`Nothing could be appended: ${outcome}`);
        // Also after an error, because the entry may be stored nevertheless.
        else await this.#look(work);
      }),
    );
    if (slowest > 0) await jitter(slowest);
  }

  #look(work: Work): Promise<void> {
    return this.#looks(async () => {
      try {
        await this.#lookAtEnd(work);
      } catch (error) {
        work.error = error;
      }
    });
  }

  /** Finds the end of a log, and which of the events it already has; none can precede its commit. */
  async #lookAtEnd(work: Work): Promise<void> {
    const events = work.drafts.flat();
    // Nobody has tried to store any of them.
    if (work.attempts === 0 && !events.some(({ isRepeated }) => isRepeated)) {
      this.#setEnd(work, await this.#notifications.newestOf(work.stream));
      return;
    }
    const wanted = new Map(events.map((event) => [event.eventId, event]));
    const oldest = Math.min(...events.map(({ committedAt }) => committedAt));
    let newest: Notification | undefined;
    const found: Notification[] = [];
    const known = new Set<string>();
    for await (const entry of this.#notifications.backwards(work.stream, oneEntry)) {
      newest ??= entry;
      const ids = idsOf(entry).filter((id) => wanted.has(id));
      if (ids.length > 0) found.push(entry);
      for (const id of ids) known.add(id);
      if (known.size === wanted.size || millisecondsOf(entry.id) < oldest) break;
    }
    this.#setEnd(work, newest);
    for (const notification of found.reverse()) {
      const event = idsOf(notification)
        .map((id) => wanted.get(id))
        .find((one) => one !== undefined);
      if (event !== undefined) work.done.push({ notification, event });
    }
    work.drafts = toDrafts(events.filter(({ eventId }) => !known.has(eventId)));
  }

  /** Remembers the end of a log that was read. */
  #setEnd(work: Work, end: StreamEnd | undefined): void {
    this.#noteMemory(work, end?.position === work.end?.position);
    work.end = end;
    if (end !== undefined) this.#ends.set(work.stream, end);
  }

  /** The first insert or look after an end was taken from memory shows whether it was behind. */
  #noteMemory(work: Work, isUpToDate: boolean): void {
    if (work.isFromMemory) this.#ends.note(isUpToDate ? "up-to-date" : "behind");
    work.isFromMemory = false;
  }
}

const idsOf = ({ eventId, moreEventIds = [] }: Notification) => [eventId, ...moreEventIds];

/**
 * Groups events for the same devices and sockets, up to a size. Each device gets its events in order; those of other
 * devices may come in between.
 */
export function toDrafts(events: readonly LogEvent[]): Draft[] {
  const drafts: [LogEvent, ...LogEvent[]][] = [];
  for (const event of events) {
    const last = drafts.findLast(([other]) => haveCommonDevices(other, event));
    if (last !== undefined && fits(last, event)) last.push(event);
    else drafts.push([event]);
  }
  return drafts;
}

const haveCommonDevices = ({ clientIds: some }: LogEvent, { clientIds: others }: LogEvent) =>
  some === undefined || others === undefined || some.some((clientId) => others.includes(clientId));

const fits = (draft: Draft, event: LogEvent) =>
  draft[0].audience === event.audience &&
  [...draft, event].every(({ text }) => text !== undefined) &&
  [...draft, event].reduce((bytes, { text = "" }) => bytes + Buffer.byteLength(text), 0) <=
    maxSharedNotificationBytes;

/** A single event may refer to a payload that all recipients share; several are stored together. */
function toNotification(draft: Draft) {
  const [{ eventId, clientIds, content }, ...more] = draft;
  return {
    eventId,
    ...(more.length > 0 && { moreEventIds: more.map((event) => event.eventId) }),
    committedAt: Math.max(...draft.map((event) => event.committedAt)),
    ...(clientIds !== undefined && { clientIds: [...clientIds] }),
    ...(more.length === 0 ? content : { payload: `[${draft.map(({ text }) => text).join(",")}]` }),
  };
}
