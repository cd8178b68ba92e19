import { randomUUID } from "node:crypto";
import { v1 as uuidV1 } from "uuid";
import type * as z from "zod";
import type { Clock } from "#shared/platform/clock.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { MessageTooLargeError } from "#shared/platform/messaging/message-too-large-error.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { CellsNotification } from "./cells-notification.ts";
import type { EventSpec } from "./event.ts";
import type { EventMessage, Recipient, TeamAudience } from "./event-message.ts";
import type { PushPriority } from "./push/native-push.ts";

interface Audience {
  readonly group: string;
  readonly recipients: readonly Recipient[];
  readonly contactsOf?: string;
  readonly membersOf?: TeamAudience;
  readonly origin?: Actor;
  readonly time?: number;
  readonly forCells?: boolean;
  readonly push?: PushPriority | "none";
}

/** The log of a team, which its members read. It keeps events of every kind. */
export const teamLog = (teamId: string): Recipient => ({ userId: teamId, isTeam: true });

/** Group of a conversation's events, within which they keep their order. */
export const conversationGroup = (conversationId: string) => `conversation#${conversationId}`;

/**
 * Whether events belong to a conversation. Their order does not depend on clocks, so the queue may carry one that is
 * committed alone.
 */
export const isOfConversation = (group: string) => group.startsWith(conversationGroup(""));

/** The conversation of a group of events, if they belong to one. */
export const conversationOf = (group: string): string | undefined =>
  isOfConversation(group) ? group.split("#")[1] : undefined;

/** Enqueues events in the outbox, in the transaction of the change that they report. */
export class EventPublisher {
  readonly #outbox: Outbox;
  readonly #clock: Clock;

  constructor({ outbox, clock }: { outbox: Outbox; clock: Clock }) {
    this.#outbox = outbox;
    this.#clock = clock;
  }

  /** Send to all devices of a user; most kinds of events skip the connection that caused them. */
  toSelf<Schema extends z.ZodObject>(
    actor: Actor,
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    const { userId } = actor;
    return this.to({ group: userId, recipients: [{ userId }], origin: actor }, spec, content);
  }

  /** Send as `toSelf` does an event that the function itself stores in the user's log, too; see `OwnEvents`. */
  toOwnLog<Schema extends z.ZodObject>(
    actor: Actor,
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): { event: EventMessage; messages: OutboxMessage[] } {
    const { userId } = actor;
    const recipients: Recipient[] = [{ userId, isStoredBySender: true }];
    const audience = { group: userId, recipients, origin: actor };
    const event = this.#compose(audience, spec, content);
    return { event, messages: this.#enqueue(event, audience, spec) };
  }

  /** Send as `toSelf` does, and to all devices of the user's accepted connections. */
  toSelfAndContacts<Schema extends z.ZodObject>(
    actor: Actor,
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    const { userId } = actor;
    const audience = { group: userId, recipients: [{ userId }], contactsOf: userId, origin: actor };
    return this.to(audience, spec, content);
  }

  /**
   * Send to all devices of another user.
   * @param to.group group within which it keeps its order; by default the recipient's
   */
  toUser<Schema extends z.ZodObject>(
    { userId, group = userId }: { userId: string; group?: string },
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    return this.to({ group, recipients: [{ userId }] }, spec, content);
  }

  /**
   * Create the messages that carry an event to an audience, for the transaction of the change that it reports.
   *
   * @param audience.group group within which it keeps its order: the id of a user or team, or `conversationGroup`
   * @param audience.contactsOf user whose accepted connections get it, in addition to the recipients
   * @param audience.membersOf members of a team who get it, in addition to the recipients
   * @param audience.origin the user and connection that caused it, if known
   * @param audience.time its place among the events of its group, in unix milliseconds; by default now
   * @param audience.forCells whether the operator's queue for Cells gets it, too
   * @param audience.push how urgently it wakes devices, or that it does not; by default immediately
   * @throws MessageTooLargeError when a list of notifications could not hold what a recipient gets
   */
  to<Schema extends z.ZodObject>(
    audience: Audience,
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    return this.#enqueue(this.#compose(audience, spec, content), audience, spec);
  }

  #compose<Schema extends z.ZodObject>(
    { group, recipients, contactsOf, membersOf, origin, push = "high" }: Audience,
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): EventMessage {
    const { isTransient, hasOwnViews } = spec;
    const { userId, connectionId } = origin ?? {};
    const parsed = spec.schema.parse(content);
    return {
      eventId: randomUUID(),
      event: { type: spec.type, ...parsed },
      recipients: [...recipients],
      contactsOf,
      membersOf,
      isTransient,
      hasOwnViews,
      origin:
        spec.skipsOrigin && userId !== undefined && connectionId !== undefined
          ? { userId, connectionId }
          : undefined,
      push:
        push === "none" || isTransient || !spec.isPushed(parsed)
          ? undefined
          : { priority: push, exceptUserId: userId },
      source: spec.recipients === "conversation-members" ? { group, userId } : undefined,
      committedAt: this.#clock(),
    };
  }

  #enqueue(
    message: EventMessage,
    { group, time, forCells = false }: Audience,
    spec: Pick<EventSpec, "cellsFields">,
  ): OutboxMessage[] {
    const { recipients, contactsOf, membersOf } = message;
    const isForNobody = recipients.length === 0 && contactsOf === undefined && membersOf === undefined;
    const isFirst = recipients.some(({ userId, isNew = false }) => isNew && userId === group);
    const messageOfEvent = this.#outbox.message("events", message, {
      group,
      time,
      isFirst,
      mayBeCarried: isOfConversation(group),
    });
    if (messageOfEvent.parts !== undefined) checkSize(message);
    return [
      ...(isForNobody ? [] : [messageOfEvent]),
      ...(forCells ? [this.#toCells(message.event, spec, { group, time })] : []),
    ];
  }

  #toCells(
    event: EventMessage["event"],
    { cellsFields }: Pick<EventSpec, "cellsFields">,
    place: { group: string; time?: number },
  ): OutboxMessage {
    const fields = Object.entries(event).filter(([name]) => cellsFields?.includes(name) ?? true);
    const notification: CellsNotification = { id: uuidV1(), payload: [Object.fromEntries(fields)] };
    return this.#outbox.message("cells-events", notification, place);
  }
}

/** Limit on the size for one recipient: it fits into an answer even when JSON within JSON has to be escaped. */
const maxEventBytes = 4 * 1024 * 1024;

function checkSize({ event, recipients }: EventMessage): void {
  const sizeOf = (part: object = {}) => Buffer.byteLength(JSON.stringify(part));
  const largest = recipients.reduce((bytes, { overlay }) => Math.max(bytes, sizeOf(overlay)), 0);
  if (sizeOf(event) + largest > maxEventBytes) throw new MessageTooLargeError("An event is too large");
}
