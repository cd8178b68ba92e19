import type { Write } from "../data/conditions.ts";
import type { AuditRecord } from "./audit-record.ts";

/** What is known of a change when its request begins. */
export type AuditedRequest = Pick<
  AuditRecord,
  "event" | "operation" | "actor" | "target" | "changes" | "team" | "network" | "requestId" | "command"
>;

/** What tells a record from others. All changes of one request have one: it is a single action. */
export interface Stamp {
  readonly milliseconds: number;
  readonly id: string;
}

/** What the trail will say of a request, and who writes it. */
export interface AuditScope {
  request: AuditedRequest;
  readonly recorder: {
    stamp(): Stamp;
    write(request: AuditedRequest, stamp: Stamp): Write;
    markOf(address: string): string;
  };
  readonly isRead: boolean;
  stamp?: Stamp;
  /** Whether what it changes is recorded. */
  isDue: boolean;
}
