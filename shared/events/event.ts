import type * as z from "zod";

/** What a kind of event is made of, and how it travels. One file per event type declares one. */
export interface EventSpec<Schema extends z.ZodObject = z.ZodObject> {
  /** Value of the event's `type`. */
  readonly type: string;
  /** All of the event but `type`. */
  readonly schema: Schema;
  /** Whom the publisher has to name as recipients (spec heading Events). */
  readonly recipients: "self" | "contacts" | "team" | "team-admins" | "conversation-members";
  /** Only for sockets that are open: neither stored nor kept in device queues. */
  readonly isTransient: boolean;
  /** Whether the connection that caused it is left out; it finds the event in `/notifications`. */
  readonly skipsOrigin: boolean;
}

export const defineEvent = <Schema extends z.ZodObject>(
  spec: Pick<EventSpec<Schema>, "type" | "schema" | "recipients"> & Partial<EventSpec<Schema>>,
): EventSpec<Schema> => ({ isTransient: false, skipsOrigin: true, ...spec });
