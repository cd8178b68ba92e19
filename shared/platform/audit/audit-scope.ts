import type { Write } from "../data/conditions.ts";
import type { AuditRecord } from "./audit-record.ts";

/** The part of a record that is known when the request begins. */
export type AuditedRequest = Pick<
  AuditRecord,
  "event" | "operation" | "actor" | "target" | "changes" | "team" | "network" | "requestId" | "command"
>;

/** Identifies a record. All changes of one request share one, because they are a single action. */
export interface Stamp {
  readonly milliseconds: number;
  readonly id: string;
}

/** The record of a request in progress, and its writer. */
export interface AuditScope {
  request: AuditedRequest;
  readonly recorder: {
    stamp(): Stamp;
    write(request: AuditedRequest, stamp: Stamp): Write;
    markOf(address: string): string;
  };
  readonly isRead: boolean;
  stamp?: Stamp;
  /** Whether its changes are recorded. */
  isDue: boolean;
}
