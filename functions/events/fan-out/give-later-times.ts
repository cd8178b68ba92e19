import type { EventMessage } from "#shared/events/event-message.ts";
import type { ToldTimes } from "#shared/events/told-times.ts";

/**
 * Give events of a conversation, in order, times of which each is later than all that were told before: clients take an
 * event whose time is not later than the last one's for a repetition.
 *
 * @param conversationId for broadcasts, the id of the sender, which is that of the sender's conversation with themselves
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

/** Whether lists of notifications show the event as one of a conversation, with a time. */
const isListed = (message: EventMessage): message is Listed =>
  !message.isTransient &&
  typeof message.event.time === "string" &&
  message.event.type.startsWith("conversation.");
