import type { EventMessage } from "#shared/events/event-message.ts";
import type { ToldTimes } from "#shared/events/told-times.ts";

/**
 * Give events of a conversation ascending times, each later than all times that were sent before: clients take an event
 * without a later time for a repetition.
 *
 * @param conversationId for broadcasts, the id of the sender, which is that of the sender's conversation with
 * themselves
 */
export async function giveLaterTimes<Item extends { readonly message: EventMessage }>(
  { told }: { readonly told: ToldTimes },
  conversationId: string,
  items: readonly Item[],
): Promise<Item[]> {
  const listed = items.flatMap(({ message }) =>
    isListed(message) ? [{ eventId: message.eventId, time: Date.parse(message.event.time) }] : [],
  );
  if (listed.length === 0) return [...items];
  const times = (await told.take(conversationId, listed)).values();
  return items.map((item) => {
    const { message } = item;
    if (!isListed(message)) return item;
    const time = new Date(times.next().value as number).toISOString();
    return { ...item, message: { ...message, event: { ...message.event, time } } };
  });
}

type Listed = EventMessage & { readonly event: { readonly time: string } };

/** Whether the event belongs to a conversation and has a time. */
const isListed = (message: EventMessage): message is Listed =>
  !message.isTransient &&
  typeof message.event.time === "string" &&
  message.event.type.startsWith("conversation.");
