import { chunks } from "#shared/platform/chunks.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { Insertion } from "#shared/platform/data/batch-statements.ts";
import { onConditionFailed, retryStale, StaleReadError, succeeds } from "#shared/platform/data/conditions.ts";
import { splitText } from "#shared/platform/data/split-text.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Key, type Query, Table } from "#shared/platform/data/table.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";
import { mayBeUnfinished } from "./event-message.ts";
import { type EventFields, eventView } from "./event-view.ts";
import {
  type Content,
  isDeviceStream,
  millisecondsOf,
  type Notification,
  notificationId,
  notificationItem,
  payloadPiece,
  type StreamEnd,
  sequenceKey,
  streamEnd,
  streams,
} from "./notification.ts";

/** A notification with its events, ready to be shown. */
export interface NotificationView {
  readonly id: string;
  readonly payload: readonly unknown[];
}

/** An entry to append. */
export interface Entry extends Content {
  readonly eventId: string;
  /** Unix milliseconds. */
  readonly committedAt: number;
  /** Whether there may have been an earlier attempt to append it. */
  readonly isRepeated: boolean;
  readonly clientIds?: readonly string[];
  readonly markerId?: string;
  readonly onlySocketId?: string;
}

/** How many consecutive sequence numbers to try before looking up the end of the stream again. */
const maxPlaces = 20;
/**
 * After its first page, a stream is read in ever larger ones, so that a device finds its few entries among thousands in
 * a few reads: entries of the second page, and the factor by which each further one is larger.
 */
const leastNextPage = 100;
const pageGrowth = 4;
/** How long entries of device queues are kept after they expire, to detect that a device has not read them. */
export const purgeDelaySeconds = 90 * 86_400;
/**
 * How much longer than an entry a shared payload is kept, because it may be stored before the last entry that refers to
 * it.
 */
const payloadDelaySeconds = 86_400;
/** Payloads of one batch read; DynamoDB returns up to 16 MB. */
const payloadBatch = 100;

/**
 * Streams of notifications. Access patterns: append; in order from a sequence number; the newest; one by sequence
 * number; payloads by their ids.
 */
export class NotificationStore {
  readonly #table: Table<"notifications">;
  readonly #retentionSeconds: number;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "notifications");
    this.#retentionSeconds = context.config.settings.notificationTTL;
    this.#clock = context.clock;
  }

  /**
   * Append an event unless the stream already has it. Concurrent writers get different sequence numbers without gaps,
   * so a reader who has read up to a number has missed nothing before it.
   */
  append(stream: string, entry: Entry): Promise<Notification> {
    return retryStale(async (attempt) => {
      const isNew = attempt === 1 && !entry.isRepeated && !mayBeUnfinished(entry, this.#clock());
      let { newest, duplicate } = await this.#lookAtEnd(stream, entry, isNew);
      for (let tried = 0; tried < maxPlaces; tried++) {
        if (duplicate !== undefined) return duplicate;
        const { appended, existing } = await this.#putAfter(newest, stream, entry);
        if (appended !== undefined) return appended;
        newest = existing;
        duplicate = existing?.eventId === entry.eventId ? existing : undefined;
      }
      throw new StaleReadError(stream);
    });
  }

  /**
   * Append an event that was never attempted before, without looking for the end of the stream.
   * @param newest the last entry at the time of the read
   * @returns undefined if it is no longer the last one
   */
  async appendAfter(
    newest: Pick<Notification, "position" | "id">,
    stream: string,
    entry: Entry,
  ): Promise<Notification | undefined> {
    const { appended, existing } = await this.#putAfter(newest, stream, entry);
    // The SDK may repeat a call whose response was lost.
    return appended ?? (existing?.eventId === entry.eventId ? existing : undefined);
  }

  /** Appends directly after an entry; returns the existing one when another writer was faster. */
  async #putAfter(
    previous: Pick<Notification, "position" | "id"> | undefined,
    stream: string,
    { committedAt, isRepeated: _, ...content }: Entry,
  ) {
    const appended = this.entryAfter(previous, {
      ...content,
      clientIds: content.clientIds && [...content.clientIds],
      committedAt,
    });
    const put = this.#table.put(this.#toItem(stream, appended), {
      ConditionExpression: "attribute_not_exists(#position)",
      ExpressionAttributeNames: { "#position": "position" },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    return onConditionFailed(
      put.then(() => ({ appended, existing: undefined })),
      (existing) => ({ appended: undefined, existing: existing && notificationItem.parse(existing) }),
    );
  }

  /** Create the entry that follows another one, without storing it. */
  entryAfter(
    previous: Pick<Notification, "position" | "id"> | undefined,
    {
      committedAt,
      ...content
    }: Omit<Notification, "position" | "id" | "expiresAt"> & { committedAt: number },
  ): Notification {
    const sequenceNumber = (previous?.position ?? 0) + 1;
    const now = this.#clock();
    return {
      ...content,
      position: sequenceNumber,
      // Never earlier than the commit, even if this machine's clock is behind: the search for duplicates stops there.
      id: notificationId(sequenceNumber, Math.max(now, committedAt), previous?.id),
      expiresAt: toSeconds(now) + this.#retentionSeconds,
    };
  }

  /**
   * Store entries of different streams, each only if its sequence number is free. Two entries of one stream must not be
   * stored together: the later one could be seen first.
   */
  insertEach(
    entries: readonly { readonly stream: string; readonly entry: Notification }[],
  ): Promise<Insertion[]> {
    return this.#table.insertMany(entries.map(({ stream, entry }) => this.#toItem(stream, entry)));
  }

  #toItem(stream: string, entry: Notification) {
    return {
      stream,
      ...entry,
      position: sequenceKey(entry.position),
      purgeAtSeconds: entry.expiresAt + (isDeviceStream(stream) ? purgeDelaySeconds : 0),
    };
  }

  /**
   * Store texts under their ids, once for all streams that refer to them: JSON of an event in a list, or of an overlay.
   * Safe to repeat.
   */
  async putPayloads(payloads: ReadonlyMap<string, string>): Promise<void> {
    const purgeAtSeconds = toSeconds(this.#clock()) + this.#retentionSeconds + payloadDelaySeconds;
    const items = [...payloads].flatMap(([payloadId, text]) => {
      const texts = splitText(text);
      return texts.map((payload, piece) => ({
        stream: streams.payload(payloadId),
        position: sequenceKey(piece),
        payload,
        pieces: texts.length,
        purgeAtSeconds,
      }));
    });
    await this.#table.putMany(items);
  }

  /** Remove a stream that nobody will read. May be repeated. @returns false when time ran out */
  async removeStream(stream: string, isTimeUp: () => boolean): Promise<boolean> {
    const pages = this.#table.pages(stream, {
      ProjectionExpression: "#position",
      ExpressionAttributeNames: { "#position": "position" },
    });
    for await (const { Items = [] } of pages) {
      await this.#table.deleteMany(Items.map(({ position }) => ({ stream, position: String(position) })));
      if (isTimeUp()) return false;
    }
    return true;
  }

  /**
   * Entries after a sequence number, oldest first, including expired and acknowledged ones.
   * @param pageSize entries of the first read; each further one has more, since it was not enough. Absent: as many as
   * DynamoDB returns
   */
  async *after(stream: string, sequenceNumber: number, pageSize?: number): AsyncGenerator<Notification> {
    yield* this.#read(stream, pageSize, {
      range: "#position > :position",
      ExpressionAttributeNames: { "#position": "position" },
      ExpressionAttributeValues: { ":position": sequenceKey(sequenceNumber) },
    });
  }

  /**
   * Find the first entry for which a condition holds that also holds for all later ones, by binary search.
   *
   * @param from sequence number of an entry for which it does not hold
   * @returns sequence number of the first entry for which it holds, or of the next one to come
   */
  async findFirst(stream: string, from: number, holds: (entry: Notification) => boolean): Promise<number> {
    let [before, start] = [from, (await this.endOf(stream)) + 1];
    while (start - before > 1) {
      const middle = Math.floor((before + start) / 2);
      const entry = await this.at(stream, middle);
      // Entries in between are missing only because they have expired.
      if (entry !== undefined && holds(entry)) start = middle;
      else before = middle;
    }
    return start;
  }

  /** Entries, newest first. @param pageSize entries of the first read; each further one has more */
  async *backwards(stream: string, pageSize: number): AsyncGenerator<Notification> {
    yield* this.#read(stream, pageSize, { ScanIndexForward: false });
  }

  async *#read(stream: string, pageSize: number | undefined, query: Query): AsyncGenerator<Notification> {
    let start: Query["ExclusiveStartKey"];
    let size = pageSize;
    do {
      const page = await this.#table.page(stream, { ...query, Limit: size, ExclusiveStartKey: start });
      for (const item of page.Items ?? []) yield notificationItem.parse(item);
      start = page.LastEvaluatedKey;
      size &&= Math.max(leastNextPage, pageGrowth * size);
    } while (start !== undefined);
  }

  /** Sequence number of the newest entry; 0 when there is none. */
  async endOf(stream: string): Promise<number> {
    return (await this.newestOf(stream))?.position ?? 0;
  }

  /** The newest entry, without its content; undefined when there is none. */
  async newestOf(stream: string): Promise<StreamEnd | undefined> {
    const { Items: [item] = [] } = await this.#table.page(stream, {
      ScanIndexForward: false,
      Limit: 1,
      ProjectionExpression: "#position, id, expiresAt",
      ExpressionAttributeNames: { "#position": "position" },
    });
    return item && streamEnd.parse(item);
  }

  async at(stream: string, sequenceNumber: number): Promise<Notification | undefined> {
    const item = await this.#table.get({ stream, position: sequenceKey(sequenceNumber) });
    return item && notificationItem.parse(item);
  }

  /** Delete the log of a team, except for an entry that somebody is just about to append. */
  async removeTeamLog(teamId: string): Promise<void> {
    const stream = streams.team(teamId);
    const pages = this.#table.pages(stream, {
      ProjectionExpression: "#stream, #position",
      ExpressionAttributeNames: { "#stream": "stream", "#position": "position" },
    });
    for await (const { Items = [] } of pages) {
      await this.#table.deleteMany(Items.map(({ position }) => ({ stream, position: String(position) })));
    }
  }

  /** Mark an entry of a device queue as acknowledged; its sequence number stays taken. Returns false without an entry. */
  acknowledge(stream: string, sequenceNumber: number): Promise<boolean> {
    const update = this.#table.update(
      { stream, position: sequenceKey(sequenceNumber) },
      {
        UpdateExpression: "SET isAcknowledged = :true REMOVE payload, overlay",
        ConditionExpression: "attribute_exists(id)",
        ExpressionAttributeValues: { ":true": true },
      },
    );
    return succeeds(update);
  }

  /**
   * Read the events of entries; leaves out an entry with a part that no longer exists.
   * @param read reads separately stored parts
   */
  async withPayloads(
    notifications: readonly (Content & Pick<Notification, "id">)[],
    read: (payloadIds: readonly string[]) => Promise<ReadonlyMap<string, string>> = (ids) =>
      this.payloads(ids),
  ): Promise<NotificationView[]> {
    const wanted = notifications.flatMap(({ payloadId, overlayId }) => [payloadId, overlayId]);
    const stored = await read([...new Set(wanted.filter((id) => id !== undefined))]);
    return notifications.flatMap(({ id, ...content }) => {
      const payload = shownBy(content, stored);
      return payload === undefined ? [] : [{ id, payload }];
    });
  }

  /** Texts by their ids; leaves out those that no longer exist. */
  async payloads(payloadIds: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const batch of chunks(payloadIds, payloadBatch)) {
      for (const [payloadId, text] of await this.#readPayloads(batch)) found.set(payloadId, text);
    }
    return found;
  }

  /** The first piece of a text says whether there are more; few texts have several. */
  async #readPayloads(payloadIds: readonly string[]): Promise<[payloadId: string, text: string][]> {
    const read = async (keys: readonly Key<"notifications">[]) =>
      (await this.#table.getMany(keys)).map((item) => payloadPiece.parse(item));
    const first = await read(
      payloadIds.map((payloadId) => ({ stream: streams.payload(payloadId), position: sequenceKey(0) })),
    );
    const others = await read(
      first.flatMap(({ stream, pieces }) =>
        Array.from({ length: pieces - 1 }, (_, index) => ({ stream, position: sequenceKey(index + 1) })),
      ),
    );
    return first.flatMap((piece): [string, string][] => {
      const { stream, pieces } = piece;
      const all = [piece, ...others.filter((other) => other.stream === stream)];
      if (all.length < pieces) return [];
      const inOrder = all.toSorted((one, other) => one.position - other.position);
      return [[stream.slice(streams.payload("").length), inOrder.map(({ payload }) => payload).join("")]];
    });
  }

  /** Finds the newest entry, and the one that already holds this event, which cannot be older than its commit. */
  async #lookAtEnd(stream: string, { eventId, committedAt }: Entry, isNew: boolean) {
    let newest: Notification | undefined;
    for await (const entry of this.backwards(stream, 1)) {
      newest ??= entry;
      if (entry.eventId === eventId) return { newest, duplicate: entry };
      if (isNew || millisecondsOf(entry.id) < committedAt) break;
    }
    return { newest, duplicate: undefined };
  }
}

/** The events of a notification as its recipient sees them; undefined if a separately stored part no longer exists. */
function shownBy(
  { payload, payloadId, overlay, overlayId, viewerId }: Content,
  stored: ReadonlyMap<string, string>,
): unknown[] | undefined {
  const text = payloadId === undefined ? payload : stored.get(payloadId);
  const overlayText = overlayId === undefined ? overlay : stored.get(overlayId);
  if (text === undefined || (overlayId !== undefined && overlayText === undefined)) return undefined;
  const events = parseExactJson(text) as EventFields[];
  if (overlayText === undefined && viewerId === undefined) return events;
  const parsed = overlayText === undefined ? undefined : (parseExactJson(overlayText) as EventFields);
  return events.map((event) => eventView(event, { overlay: parsed, viewerId }));
}
