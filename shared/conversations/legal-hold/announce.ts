import type * as z from "zod";
import type { EventSpec } from "#shared/events/event.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";

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
