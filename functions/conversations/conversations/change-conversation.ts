import type * as z from "zod";
import { spendBytes } from "#shared/accounts/write-budget.ts";
import { announce } from "#shared/conversations/announce.ts";
import type { Conversation } from "#shared/conversations/conversation.ts";
import type { ConversationAction } from "#shared/conversations/conversation-roles.ts";
import type { ConversationChange } from "#shared/conversations/conversation-store.ts";
import type { EventSpec } from "#shared/events/event.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { checkAction, readForChange, type Subject } from "./check-action.ts";
import type { Deps } from "./deps.ts";

/** The change that a user requests. */
export interface ChangeCommand {
  readonly actor: Actor;
  readonly conversationId: string;
}

/** The part of a change that is known before the conversation is read. */
interface Kind<Schema extends z.ZodObject> {
  readonly action: ConversationAction;
  readonly event: EventSpec<Schema>;
  /** Bytes in the request; small changes need not count them. */
  readonly bytes?: number;
}

/** The change that a use case has decided on, and its event. */
export interface Decision<Data> extends ConversationChange {
  readonly data: Data;
  /** Further writes of the same transaction. */
  readonly writes?: readonly Write[];
  /** Messages that follow the event of the change. */
  readonly messagesAfter?: (changed: Conversation) => readonly OutboxMessage[];
  /** Whether the acting user is not told of the event. */
  readonly isUnanswered?: boolean;
}

type ChangeDeps = Pick<Deps, "conversations" | "dynamo" | "events" | "settings" | "teams">;

/**
 * Change a conversation, if the rules that all changes share allow it: read, check, decide, and write the change with
 * its event, for present members and those who join by it. The write requires that the user's rights in the team have
 * not changed. The budget is charged while the conversation is read, and not in the transaction: a user may change many
 * conversations at the same time. So changes that are refused are charged, too. Leaving and removing members is never
 * refused because of it.
 *
 * @param decide makes the checks of this change; undefined when nothing changes
 * @returns the event; undefined when nothing has changed, or the event is not part of the answer
 * @throws ApiError `no-conversation`, `invalid-op`, `action-denied`, and what `decide` throws
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 */
export function changeConversation<Schema extends z.ZodObject>(
  deps: ChangeDeps & Pick<Deps, "budget">,
  { actor, conversationId }: ChangeCommand,
  { action, event: spec, bytes }: Kind<Schema>,
  decide: (
    subject: Subject,
  ) => Promise<Decision<z.input<Schema>["data"]> | undefined> | Decision<z.input<Schema>["data"]> | undefined,
) {
  const charging = spendBytes(deps, actor, bytes).then(
    () => undefined,
    (error: unknown) => error,
  );
  return change(deps, async () => {
    const [subject, refusal] = await Promise.all([
      readForChange(deps, { userId: actor.userId, conversationId }),
      charging,
    ]);
    checkAction(subject, action);
    const decision = await decide(subject);
    if (decision === undefined) return { result: undefined };
    const { leaving = [] } = decision;
    if (refusal !== undefined && leaving.length === 0) throw refusal;
    const { event, writes, messages } = carryOut(deps, { subject, actor, spec }, decision);
    return { writes, messages, result: decision.isUnanswered ? undefined : event };
  });
}

/** Create the writes and messages of a decision. */
export function carryOut<Schema extends z.ZodObject>(
  deps: ChangeDeps,
  { subject, actor, spec }: { subject: Subject; actor: Actor; spec: EventSpec<Schema> },
  { data, writes = [], messagesAfter, isUnanswered: _, ...changes }: Decision<z.input<Schema>["data"]>,
) {
  const { conversations, teams } = deps;
  const { conversation, members, teamMember } = subject;
  const changed = conversations.change(conversation, changes);
  const recipients = [...members, ...(changes.joining ?? [])];
  const announced = announce(deps, spec, { conversation: changed.next, actor, recipients, data });
  return {
    /** The conversation after the change. */
    next: changed.next,
    event: announced.event,
    ...combine(
      { writes: changed.writes, messages: announced.messages },
      { writes, messages: messagesAfter?.(changed.next) ?? [] },
      teamMember && { writes: [teams.requirePermissions(teamMember)] },
    ),
  };
}

/** The answer to a change: 200 with its event, or 204 when nothing has changed. */
export const eventReply = <Event>(event: Event | undefined) =>
  event === undefined ? ({ status: 204 } as const) : ({ status: 200, body: event } as const);
