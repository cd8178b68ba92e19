import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { parseExactJson } from "../../exact-json.ts";
import { batchRead } from "../batch-read.ts";
import { onConditionFailed, retryStale, StaleReadError } from "../conditions.ts";
import { splitText } from "../split-text.ts";
import {
  millisecondsOf,
  type Notification,
  notificationId,
  notificationItem,
  payloadPiece,
  positionKey,
  streams,
} from "./notification.ts";

/** A notification with its events, ready to be shown. */
export interface NotificationView {
  readonly id: string;
  readonly payload: readonly unknown[];
}

/** What is appended: the events as JSON text, or the fact that they are stored under the event's id. */
export interface Entry {
  readonly eventId: string;
  /** Unix milliseconds. */
  readonly committedAt: number;
  /** Whether somebody may have tried to append it before. */
  readonly isRepeated: boolean;
  readonly clientIds?: readonly string[];
  readonly payload?: string;
  readonly hasSharedPayload?: boolean;
  readonly markerId?: string;
  readonly onlySocketId?: string;
}

/** Places that are tried one after another before the end of the stream is looked up again. */
const placesTried = 20;
/**
 * While an event is so young, nobody has tried to append it and died: until the queue hands on what a dead worker had,
 * more time passes.
 */
const newMilliseconds = 3000;
/** Entries that a look at the end of a stream reads beyond the last one. */
const tailPage = 100;
/** How long entries and payloads outlive their expiry, so that it shows that a device has not read them. */
export const purgeDelaySeconds = 90 * 86_400;
/** Payloads of one batch read; DynamoDB answers up to 16 MB. */
const payloadBatch = 100;

/**
 * Streams of notifications. Access patterns: append; in order from a position; the newest; one by position; payloads
 * by event id.
 */
export class NotificationStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #retentionSeconds: number;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("notifications");
    this.#retentionSeconds = config.settings.notificationTTL;
    this.#clock = clock;
  }

  /**
   * Append an event unless the stream has it already. Two writers at once each get a place; no place is left free for
   * somebody slower, so who has read up to a position has missed nothing before it.
   */
  append(stream: string, entry: Entry): Promise<Notification> {
    return retryStale(async (attempt) => {
      const isNew = attempt === 1 && !entry.isRepeated && this.#clock() - entry.committedAt < newMilliseconds;
      let { newest, duplicate } = await this.#lookAtEnd(stream, entry, isNew);
      for (let tried = 0; tried < placesTried; tried++) {
        if (duplicate !== undefined) return duplicate;
        const { appended, existing } = await this.#putAfter(newest, stream, entry);
        if (appended !== undefined) return appended;
        newest = existing;
        duplicate = existing?.eventId === entry.eventId ? existing : undefined;
      }
      throw new StaleReadError(stream);
    });
  }

  /** Take the place after an entry; when another writer has taken it, tell with what. */
  async #putAfter(
    previous: Notification | undefined,
    stream: string,
    { committedAt, isRepeated: _, ...content }: Entry,
  ) {
    const position = (previous?.position ?? 0) + 1;
    const now = this.#clock();
    const appended: Notification = {
      ...content,
      clientIds: content.clientIds && [...content.clientIds],
      position,
      // Not before the commit, also when this machine's clock is behind: the search for duplicates ends there.
      id: notificationId(position, Math.max(now, committedAt), previous?.id),
      expiresAt: toSeconds(now) + this.#retentionSeconds,
    };
    const put = new PutCommand({
      TableName: this.#tableName,
      Item: {
        stream,
        ...appended,
        position: positionKey(position),
        purgeAtSeconds: appended.expiresAt + purgeDelaySeconds,
      },
      ConditionExpression: "attribute_not_exists(#position)",
      ExpressionAttributeNames: { "#position": "position" },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    return onConditionFailed(
      this.#client.send(put).then(() => ({ appended, existing: undefined })),
      (existing) => ({ appended: undefined, existing: existing && notificationItem.parse(existing) }),
    );
  }

  /** Store an event's JSON once for all streams that refer to it. Repeating it changes nothing. */
  async putSharedPayload(eventId: string, payload: string): Promise<void> {
    const purgeAtSeconds = toSeconds(this.#clock()) + this.#retentionSeconds + purgeDelaySeconds;
    const stream = streams.payload(eventId);
    const texts = splitText(payload);
    const puts = texts.map(
      (text, piece) =>
        new PutCommand({
          TableName: this.#tableName,
          Item: {
            stream,
            position: positionKey(piece),
            payload: text,
            pieces: texts.length,
            purgeAtSeconds,
          },
        }),
    );
    await Promise.all(puts.map((put) => this.#client.send(put)));
  }

  /**
   * Entries after a position, oldest first, also expired and acknowledged ones.
   * @param pageSize entries read at once; absent: as many as DynamoDB gives
   */
  async *after(stream: string, position: number, pageSize?: number): AsyncGenerator<Notification> {
    let startKey: Record<string, unknown> | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: "#stream = :stream AND #position > :position",
          ExpressionAttributeNames: { "#stream": "stream", "#position": "position" },
          ExpressionAttributeValues: { ":stream": stream, ":position": positionKey(position) },
          ConsistentRead: true,
          Limit: pageSize,
          ExclusiveStartKey: startKey,
        }),
      );
      for (const item of page.Items ?? []) yield notificationItem.parse(item);
      startKey = page.LastEvaluatedKey;
    } while (startKey !== undefined);
  }

  /** Entries from the newest to the oldest. */
  async *backwards(stream: string, pageSize: number): AsyncGenerator<Notification> {
    let startKey: Record<string, unknown> | undefined;
    let limit = pageSize;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: "#stream = :stream",
          ExpressionAttributeNames: { "#stream": "stream" },
          ExpressionAttributeValues: { ":stream": stream },
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: limit,
          ExclusiveStartKey: startKey,
        }),
      );
      for (const item of page.Items ?? []) yield notificationItem.parse(item);
      startKey = page.LastEvaluatedKey;
      limit = tailPage;
    } while (startKey !== undefined);
  }

  /** Position of the newest entry; 0 when there is none. */
  async endOf(stream: string): Promise<number> {
    const { value } = await this.backwards(stream, 1).next();
    return value?.position ?? 0;
  }

  async at(stream: string, position: number): Promise<Notification | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: { stream, position: positionKey(position) },
        ConsistentRead: true,
      }),
    );
    return Item && notificationItem.parse(Item);
  }

  /** Mark an entry of a device queue as done with; false when there is none. Its place stays taken. */
  async acknowledge(stream: string, position: number): Promise<boolean> {
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: { stream, position: positionKey(position) },
      UpdateExpression: "SET isAcknowledged = :true REMOVE payload",
      ConditionExpression: "attribute_exists(id)",
      ExpressionAttributeValues: { ":true": true },
    });
    return onConditionFailed(
      this.#client.send(update).then(() => true),
      () => false,
    );
  }

  /** Entries with their events; one whose shared payload is gone is left out. */
  async withPayloads(notifications: readonly Notification[]): Promise<NotificationView[]> {
    const shared = new Map<string, string>();
    const wanted = [
      ...new Set(notifications.filter((one) => one.hasSharedPayload).map(({ eventId }) => eventId)),
    ];
    for (let start = 0; start < wanted.length; start += payloadBatch) {
      const payloads = await this.#readPayloads(wanted.slice(start, start + payloadBatch));
      for (const [stream, payload] of payloads) shared.set(stream, payload);
    }
    return notifications.flatMap(({ id, eventId, payload }) => {
      const text = payload ?? shared.get(streams.payload(eventId));
      return text === undefined ? [] : [{ id, payload: parseExactJson(text) as unknown[] }];
    });
  }

  /** Shared payloads by their stream. The first piece tells whether there are more, which few payloads need. */
  async #readPayloads(eventIds: readonly string[]): Promise<[stream: string, payload: string][]> {
    const read = async (keys: { stream: string; position: string }[]) => {
      const items = await batchRead(this.#client, [{ tableName: this.#tableName, keys }]);
      return items.map((item) => payloadPiece.parse(item));
    };
    const first = await read(
      eventIds.map((eventId) => ({ stream: streams.payload(eventId), position: positionKey(0) })),
    );
    const others = await read(
      first.flatMap(({ stream, pieces }) =>
        Array.from({ length: pieces - 1 }, (_, index) => ({ stream, position: positionKey(index + 1) })),
      ),
    );
    return first.flatMap((piece): [string, string][] => {
      const { stream, pieces } = piece;
      const all = [piece, ...others.filter((other) => other.stream === stream)];
      if (all.length < pieces) return [];
      const inOrder = all.toSorted((one, other) => one.position - other.position);
      return [[stream, inOrder.map(({ payload }) => payload).join("")]];
    });
  }

  /** The newest entry, and the one that already holds this event: it can only be younger than the commit. */
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
