import type * as z from "zod";
import type { EventSpec } from "#shared/events/event.ts";
import { conversationGroup, type EventPublisher } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Conversation, isForwardedToCells } from "./conversation.ts";
import { type Addressee, toRecipient } from "./conversation-member.ts";
import { envelopeOf } from "./events/conversation-event.ts";

interface Announcement<Data> {
  /** The conversation after the change: the event gets its time. */
  readonly conversation: Conversation;
  /** The user and connection that caused it; that connection does not get the event. */
  readonly actor: Actor;
  /** Recipients of the event, members or not; those named twice get it once. */
  readonly recipients: readonly Addressee[];
  readonly data: Data;
  /** Whether it wakes no devices, unlike other events of its kind. */
  readonly isQuiet?: boolean;
}

/**
 * Create the event of a change of a conversation, for the answer and for the outbox. A conversation's events reach
 * everybody in the order of the changes.
 */
export function announce<Schema extends z.ZodObject>(
  { events, settings }: { readonly events: EventPublisher; readonly settings: Settings },
  spec: EventSpec<Schema>,
  { conversation, actor, recipients, data, isQuiet = false }: Announcement<z.input<Schema>["data"]>,
): { event: z.input<Schema> & { type: string }; messages: OutboxMessage[] } {
  const cause = { from: actor.userId, time: conversation.changedAt };
  const content = { ...envelopeOf(conversation, cause, settings), data } as z.input<Schema>;
  const audience = {
    group: conversationGroup(conversation.conversationId),
    time: conversation.changedAt,
    recipients: [...new Map(recipients.map((one) => [one.userId, toRecipient(one)])).values()],
    origin: actor,
    ...(isQuiet && { push: "none" as const }),
    forCells: spec.isForCells && isForwardedToCells(conversation),
  };
  return { event: { type: spec.type, ...content }, messages: events.to(audience, spec, content) };
}
