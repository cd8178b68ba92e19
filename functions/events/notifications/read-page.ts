import type { Notification } from "#shared/events/notification.ts";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import type { Deps } from "./deps.ts";
import { type NotificationView, toViews } from "./view.ts";

/** Notifications whose payloads are fetched together. */
const batchSize = 50;

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
  let room = size;
  for await (const batch of batches(entries)) {
    for (const view of await toViews(deps, batch)) {
      if (view.id === extraId) room++;
      if (page.items.length === room || !page.add(view)) return { notifications: page.items, hasMore: true };
    }
  }
  return { notifications: page.items, hasMore: false };
}

async function* batches(entries: AsyncIterable<Notification>) {
  let batch: Notification[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
