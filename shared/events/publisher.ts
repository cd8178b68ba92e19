import { randomUUID } from "node:crypto";
import type * as z from "zod";
import { chunks } from "../chunks.ts";
import type { Clock } from "../clock.ts";
import type { Actor } from "../http/route.ts";
import type { Outbox, StagedMessage } from "../messaging/outbox.ts";
import type { EventSpec } from "./event.ts";
import { type EventMessage, maxRecipientsPerMessage, type Recipient } from "./event-message.ts";

/** Puts events into the outbox, in the transaction of what they tell. */
export class EventPublisher {
  readonly #outbox: Outbox;
  readonly #clock: Clock;

  constructor(outbox: Outbox, clock: Clock) {
    this.#outbox = outbox;
    this.#clock = clock;
  }

  /**
   * Messages that carry an event to its recipients: their writes join the transaction, their sends follow it.
   *
   * @param to.sender user in whose order it is delivered
   * @param to.contactsOf user whose accepted connections get it, beside the recipients
   * @param to.origin who asked for it over which connection, when one did
   */
  stage<Schema extends z.ZodObject>(
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
    to: { sender: string; recipients: readonly Recipient[]; contactsOf?: string; origin?: Actor },
  ): StagedMessage[] {
    const { userId, connectionId } = to.origin ?? {};
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
    const stage = (audience: Pick<EventMessage, "recipients" | "contactsOf">) =>
      this.#outbox.stageLarge("events", { ...common, ...audience } satisfies EventMessage, {
        group: to.sender,
      });
    return [
      ...chunks(to.recipients, maxRecipientsPerMessage).flatMap((recipients) => stage({ recipients })),
      ...(to.contactsOf === undefined ? [] : stage({ recipients: [], contactsOf: to.contactsOf })),
    ];
  }
}
