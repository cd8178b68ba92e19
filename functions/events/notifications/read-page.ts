import type * as z from "zod";
import { millisecondsOf, type Notification, sizeOf } from "#shared/events/notification.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import type { Deps } from "./deps.ts";
import type { queuedNotification } from "./routes.ts";

/** Limits for notifications whose payloads are fetched together: their number and size. */
const maxBatchSize = 100;
const maxBatchBytes = 1024 * 1024;

/**
 * Load the events of notifications until there are `size` of them or the answer is full.
 * @param extraId id of a notification that does not count
 */
export async function readPage(
  deps: Deps,
  entries: AsyncIterable<Notification>,
  { size, extraId }: { size: number; extraId?: string },
): Promise<{ notifications: NotificationView[]; hasMore: boolean }> {
  const page = new AnswerList<NotificationView>();
  const notifications = page.items;
  let room = size;
  let batch: Notification[] = [];
  let batchBytes = 0;

  /** Append the batch, with its payloads. @returns whether all of it fits */
  async function append(): Promise<boolean> {
    const views = await toViews(deps, batch);
    batch = [];
    batchBytes = 0;
    return views.every((view) => page.add(view));
  }

  for await (const entry of entries) {
    const isFull = () => notifications.length + batch.length === room;
    if (isFull() || batch.length === maxBatchSize || batchBytes >= maxBatchBytes) {
      if (!(await append()) || isFull()) return { notifications, hasMore: true };
    }
    if (entry.id === extraId) room++;
    batch.push(entry);
    batchBytes += sizeOf(entry);
  }
  return { hasMore: !(await append()), notifications };
}

/**
 * Read the entries of a stream that have not expired and are newer than a given time, oldest first. Starts there
 * without reading older ones, however many a purge has left.
 *
 * @param options.newerThan unix milliseconds; absent: everything kept
 * @param options.pageSize entries per read
 */
export async function* keptEntries(
  deps: Deps,
  stream: string,
  { newerThan = 0, pageSize }: { newerThan?: number; pageSize: number },
): AsyncGenerator<Notification> {
  const { notifications } = deps;
  const isWanted = (entry: Notification) => !isExpired(entry, deps) && millisecondsOf(entry.id) > newerThan;
  const { value: first } = await notifications.after(stream, 0, 1).next();
  if (first === undefined) return;
  const start = isWanted(first)
    ? first.position
    : await notifications.findFirst(stream, first.position, isWanted);
  for await (const entry of notifications.after(stream, start - 1, pageSize))
    if (isWanted(entry)) yield entry;
}

export type NotificationView = z.input<typeof queuedNotification>;

/** Whether the device may see a notification; without a device, true for all of the user's. */
export const isVisible = ({ clientIds }: Notification, clientId: string | undefined) =>
  clientIds === undefined || clientId === undefined || clientIds.includes(clientId);

export const isExpired = ({ expiresAt }: Notification, { clock }: Deps) => expiresAt <= toSeconds(clock());

/** Load the events of notifications; a notification whose events are gone is left out. */
export async function toViews(
  { notifications }: Deps,
  entries: readonly Notification[],
): Promise<NotificationView[]> {
  const views = await notifications.withPayloads(entries);
  return views.map(({ id, payload }) => ({ id, payload: payload as NotificationView["payload"] }));
}
