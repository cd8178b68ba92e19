import * as z from "zod";
import { clientReference } from "#shared/devices/device-view.ts";
import { prekeyItem } from "#shared/devices/prekey.ts";
import { defineEvent, type EventSpec } from "#shared/events/event.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** A legal hold device awaits a user's approval. */
export const userLegalholdRequest = defineEvent({
  type: "user.legalhold-request",
  summary: "An admin asks a user to approve a legal hold device",
  recipients: "contacts-and-team",
  schema: z.object({
    id: z.uuid().meta({ description: "Id of the user" }),
    last_prekey: prekeyItem,
    client: clientReference,
  }),
});

/** A legal hold device is added for a user. */
export const userLegalholdEnable = defineEvent({
  type: "user.legalhold-enable",
  summary: "Legal hold begins for a user",
  recipients: "contacts-and-team",
  schema: z.object({ id: z.uuid().meta({ description: "Id of the user" }) }),
});

/** A user has neither a legal hold device nor a request for one any more. */
export const userLegalholdDisable = defineEvent({
  type: "user.legalhold-disable",
  summary: "Legal hold ends for a user",
  recipients: "contacts-and-team",
  schema: z.object({ id: z.uuid().meta({ description: "Id of the user" }) }),
});

/** Creates the messages that report an event of legal hold to a user, the user's contacts and the team. */
export function announce<Schema extends z.ZodObject>(
  { events }: { readonly events: EventPublisher },
  { teamId, userId }: { readonly teamId: string | undefined; readonly userId: string },
  spec: EventSpec<Schema>,
  content: z.input<Schema>,
): OutboxMessage[] {
  const membersOf = teamId === undefined ? undefined : { teamId, members: "all" as const };
  return events.to({ group: userId, recipients: [{ userId }], contactsOf: userId, membersOf }, spec, content);
}
