import { randomUUID } from "node:crypto";
import type * as z from "zod";
import { chunks } from "#shared/platform/chunks.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { EventSpec } from "./event.ts";
import {
  type EventMessage,
  maxRecipientsPerMessage,
  type Recipient,
  type TeamAudience,
} from "./event-message.ts";

interface Audience {
  readonly sender: string;
  readonly recipients: readonly Recipient[];
  readonly contactsOf?: string;
  readonly membersOf?: TeamAudience;
  readonly origin?: Actor;
}

/** Enqueues events in the outbox, in the transaction of the change that they report. */
export class EventPublisher {
  readonly #outbox: Outbox;
  readonly #clock: Clock;

  constructor(outbox: Outbox, { clock }: { clock: Clock }) {
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
    return this.to({ sender: userId, recipients: [{ userId }], origin: actor }, spec, content);
  }

  /** Send as `toSelf` does, and to all devices of the user's accepted connections. */
  toSelfAndContacts<Schema extends z.ZodObject>(
    actor: Actor,
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    const { userId } = actor;
    const audience = { sender: userId, recipients: [{ userId }], contactsOf: userId, origin: actor };
    return this.to(audience, spec, content);
  }

  /**
   * Send to all devices of another user.
   * @param to.sender user whose events it keeps its order with, if not the recipient
   */
  toUser<Schema extends z.ZodObject>(
    { userId, sender = userId }: { userId: string; sender?: string },
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    return this.to({ sender, recipients: [{ userId }] }, spec, content);
  }

  /**
   * Keep an event in the log of a team, which its members read.
   * @param to.sender user whose events it keeps its order with
   */
  toTeamLog<Schema extends z.ZodObject>(
    { teamId, sender }: { teamId: string; sender: string },
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    const recipients: Recipient[] = [{ userId: teamId, isTeam: true }];
    return this.to({ sender, recipients }, { ...spec, isTransient: false }, content);
  }

  /**
   * Create the messages that carry an event to an audience: they join the transaction of the change that it reports.
   *
   * @param audience.sender user whose events it keeps its order with
   * @param audience.contactsOf user whose accepted connections get it, in addition to the recipients
   * @param audience.membersOf members of a team who get it, in addition to the recipients
   * @param audience.origin who caused it, and over which connection, if known
   */
  to<Schema extends z.ZodObject>(
    { sender, recipients, contactsOf, membersOf, origin }: Audience,
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    const { userId, connectionId } = origin ?? {};
    const common = {
      eventId: randomUUID(),
      event: { type: spec.type, ...spec.schema.parse(content) },
      isTransient: spec.isTransient,
      origin:
        spec.skipsOrigin && userId !== undefined && connectionId !== undefined
          ? { userId, connectionId }
          : undefined,
      committedAt: this.#clock(),
    };
    const [last = [], ...others] = chunks(recipients, maxRecipientsPerMessage).reverse();
    // Together, so that somebody whom several of them mean gets it once.
    const parts = [
      ...others.map((part) => ({ recipients: part })),
      { recipients: last, contactsOf, membersOf },
    ];
    return parts.map((part) =>
      this.#outbox.message("events", { ...common, ...part } satisfies EventMessage, { group: sender }),
    );
  }
}
