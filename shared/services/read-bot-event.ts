import type { BotEvent } from "#shared/events/bot-event.ts";
import { type EventFields, eventView } from "#shared/events/event-view.ts";
import type { NotificationStore } from "#shared/events/notification-store.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";

/** Read an event as its bot sees it. @returns undefined when a part of it is no longer stored */
export async function readBotEvent(
  { notifications }: { readonly notifications: Pick<NotificationStore, "payloads"> },
  { eventId, event, overlay, overlayId }: BotEvent,
): Promise<EventFields | undefined> {
  const wanted = [...(event === undefined ? [eventId] : []), ...(overlayId === undefined ? [] : [overlayId])];
  const stored = wanted.length === 0 ? new Map<string, string>() : await notifications.payloads(wanted);
  if (stored.size < wanted.length) return undefined;
  const overlayText = overlayId === undefined ? overlay : stored.get(overlayId);
  // The text that is stored under the id of an event is a list with only this event.
  const common =
    event === undefined
      ? parseAs<EventFields[]>(stored.get(eventId) ?? "[{}]")[0]
      : parseAs<EventFields>(event);
  const overlayFields = overlayText === undefined ? {} : { overlay: parseAs<EventFields>(overlayText) };
  return common && eventView(common, overlayFields);
}

const parseAs = <Parsed>(text: string) => parseExactJson(text) as Parsed;
