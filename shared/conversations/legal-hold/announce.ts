import type * as z from "zod";
import type { EventSpec } from "#shared/events/event.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** Creates the messages that tell a user, the user's contacts and the team of an event of legal hold. */
export function announce<Schema extends z.ZodObject>(
  { events }: { readonly events: EventPublisher },
  { teamId, userId }: { readonly teamId: string | undefined; readonly userId: string },
  spec: EventSpec<Schema>,
  content: z.input<Schema>,
): OutboxMessage[] {
  const membersOf = teamId === undefined ? undefined : { teamId, members: "all" as const };
  return events.to({ group: userId, recipients: [{ userId }], contactsOf: userId, membersOf }, spec, content);
}
