import type * as z from "zod";
import type { EventSpec } from "#shared/events/event.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** Tells a user, the user's contacts and the team of something about the user's legal hold. */
export function announce<Schema extends z.ZodObject>(
  { events }: { readonly events: EventPublisher },
  { teamId, userId }: { readonly teamId: string | undefined; readonly userId: string },
  spec: EventSpec<Schema>,
  content: z.input<Schema>,
): OutboxMessage[] {
  const membersOf = teamId === undefined ? undefined : { teamId, members: "all" as const };
  return events.to({ group: userId, recipients: [{ userId }], contactsOf: userId, membersOf }, spec, content);
}
