import type * as z from "zod";
import type { EventSpec } from "#shared/events/event.ts";
import { conversationGroup, type EventPublisher } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Conversation, isForwardedToCells } from "./conversation.ts";
import { type Addressee, toRecipient } from "./conversation-member.ts";
import type { PopulatedConversation } from "./conversation-store.ts";
import { envelopeOf } from "./events/conversation-event.ts";
import { conversationMemberJoin, conversationMemberLeave, joinData, leaveData } from "./events/members.ts";

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

/**
 * Create the events about users whom a commit has added and removed, at most one of each kind.
 * @param change.members of the conversation before the change
 */
export function announceMembers(
  deps: { readonly events: EventPublisher; readonly settings: Settings },
  {
    conversation,
    actor,
    members,
    joining,
    leaving,
  }: PopulatedConversation & {
    readonly actor: Actor;
    readonly joining: readonly string[];
    readonly leaving: readonly string[];
  },
) {
  // Users whom a commit adds may do nothing but leave.
  const newcomers = joining.map((userId) => ({ userId, role: "member" as const }));
  const announcement = { conversation, actor };
  const joins =
    joining.length === 0
      ? []
      : [
          announce(deps, conversationMemberJoin, {
            ...announcement,
            recipients: [...members, ...newcomers],
            data: joinData(newcomers, deps.settings),
          }),
        ];
  const leaves =
    leaving.length === 0
      ? []
      : [
          announce(deps, conversationMemberLeave, {
            ...announcement,
            recipients: members,
            data: leaveData(leaving, "removed", deps.settings),
          }),
        ];
  const all = [...joins, ...leaves];
  return { events: all.map(({ event }) => event), messages: all.flatMap(({ messages }) => messages) };
}
