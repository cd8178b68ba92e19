import { setTimeout as delay } from "node:timers/promises";
import type * as z from "zod";
import { queueBytes } from "#shared/events/delivery-message.ts";
import type { EventSpec } from "#shared/events/event.ts";
import type { EventMessage } from "#shared/events/event-message.ts";
import type { LogEvent, LogWriter } from "#shared/events/log-writer.ts";
import { streams } from "#shared/events/notification.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Log } from "#shared/platform/log.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/**
 * How long an answer waits for its events to be stored: long enough to repeat a call, because clients prefer waiting to
 * an error, and shorter than the timeout of a function.
 */
const defaultPatience = 5000;

/** Needs the table notifications (insert). */
interface Deps {
  readonly events: EventPublisher;
  readonly logWriter: LogWriter;
  readonly log: Log;
}

interface Options {
  readonly patienceMilliseconds?: number;
}

/**
 * Events of one change for the user who makes it, which clients read immediately after the answer. The function stores
 * them in the user's log itself. The workers do everything else, and store missing ones. They may overtake earlier
 * events of the user that are still on their way.
 */
export class OwnEvents {
  readonly #deps: Deps;
  readonly #patienceMilliseconds: number;
  readonly #stored: EventMessage[] = [];

  constructor(deps: Deps, { patienceMilliseconds = defaultPatience }: Options = {}) {
    this.#deps = deps;
    this.#patienceMilliseconds = patienceMilliseconds;
  }

  /** Send as `EventPublisher.toSelf` does, to the user of all these events. Not for transient events. */
  toSelf<Schema extends z.ZodObject>(
    actor: Actor,
    spec: EventSpec<Schema>,
    content: z.input<Schema>,
  ): OutboxMessage[] {
    const { event, messages } = this.#deps.events.toOwnLog(actor, spec, content);
    this.#stored.push(event);
    return messages;
  }

  /** Store the events after the commit. Never fails and never takes long, because the workers store the rest. */
  async store(): Promise<void> {
    const { log } = this.#deps;
    const storing = this.#append().catch((error: unknown) => {
      log.warn("own-events-not-stored", { error: error as Error });
    });
    // The write may still finish, which does no harm however late: an entry is stored only at the end of the log.
    await Promise.race([storing, delay(this.#patienceMilliseconds, undefined, { ref: false })]);
  }

  async #append(): Promise<void> {
    const userId = this.#stored[0]?.recipients[0]?.userId;
    const events = this.#stored.map(toLogEvent);
    // Workers store large events apart from the log.
    if (userId === undefined || events.some(({ text = "" }) => Buffer.byteLength(text) > queueBytes)) return;
    const stream = streams.user(userId);
    const error = (await this.#deps.logWriter.append(new Map([[stream, events]]))).get(stream)?.error;
    if (error !== undefined) throw error;
  }
}

/** The same entry that `delivery` makes for an event that only its sender gets. */
function toLogEvent({ eventId, event, committedAt, origin }: EventMessage): LogEvent {
  const text = JSON.stringify(event);
  return {
    eventId,
    committedAt,
    // A worker may have stored the event before.
    isRepeated: true,
    text,
    content: { payload: `[${text}]` },
    audience: String(origin?.connectionId),
  };
}
