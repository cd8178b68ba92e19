import type * as z from "zod";

/** Content of a kind of event, and how it is delivered. */
export interface EventSpec<Schema extends z.ZodObject = z.ZodObject> {
  /** Value of the event's `type`. */
  readonly type: string;
  /** Describes what happened, as a sentence without the full stop. */
  readonly summary: string;
  /** The fields of the event, without `type`. */
  readonly schema: Schema;
  /** The recipients that the publisher must name. */
  readonly recipients:
    | "self"
    | "contacts"
    | "contacts-and-team"
    | "team"
    | "team-admins"
    | "conversation-members";
  /** Whether it goes to open sockets only: neither stored nor kept in device queues. */
  readonly isTransient: boolean;
  /** Whether the connection that caused it is left out; it finds the event in `/notifications`. */
  readonly skipsOrigin: boolean;
  /**
   * Whether recipients see themselves apart from the others in `data.members`, which is published as `{ others }` with
   * everybody and arrives as `{ self, others }`.
   */
  readonly hasOwnViews: boolean;
  /** Whether it wakes devices that no socket reaches. */
  isPushed(content: z.output<Schema>): boolean;
  /** Whether the operator's queue for Cells gets it, if it is about a conversation of which Cells is told. */
  readonly isForCells: boolean;
  /** The fields that the operator's queue for Cells gets, if not all. */
  readonly cellsFields?: readonly string[];
}

/** Declares a kind of event. By default it is stored, wakes nobody, and the connection that caused it is left out. */
export const defineEvent = <Schema extends z.ZodObject>(
  spec: Pick<EventSpec<Schema>, "type" | "summary" | "schema" | "recipients"> & Partial<EventSpec<Schema>>,
): EventSpec<Schema> => ({
  isTransient: false,
  skipsOrigin: true,
  hasOwnViews: false,
  isPushed: () => false,
  isForCells: false,
  ...spec,
});
