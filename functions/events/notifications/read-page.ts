import { type Notification, sizeOf } from "#shared/events/notification.ts";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import type { Deps } from "./deps.ts";
import { type NotificationView, toViews } from "./view.ts";

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
