import { AsyncLocalStorage } from "node:async_hooks";
import type { AuditScope } from "./audit/audit-scope.ts";
import type { Handled, Meter, Sample } from "./usage/sample.ts";

/**
 * Data that accompany a request, or the work of a worker, without being an argument. Nothing else may be added: each
 * part serves code that must not depend on its callers, and none decides what a use case does.
 */
interface Scope {
  /** In each line of the log, and in messages of the outbox: see `request-id.ts`. */
  readonly requestId?: string | undefined;
  /** Set when the work is measured, together with `meter`: see `usage/measured-work.ts`. */
  readonly sample?: Sample | undefined;
  readonly meter?: Meter;
  /** The part of its batch that a worker has handled so far. */
  readonly handled?: Handled[];
  /** Whether the caller may make changes: see `messaging/commit-guard.ts`. */
  readonly commitGuard?: () => Promise<void>;
  /** The coming record of the audit trail: see `audit/audited.ts`. */
  readonly audited?: AuditScope;
}

const nothing: Scope = {};
const scopes = new AsyncLocalStorage<Scope>();

/** Data of the current work. */
export const currentScope = (): Scope => scopes.getStore() ?? nothing;

/** Runs a task with these parts; all others are those of the surrounding work. */
export const withScope = <Result>(parts: Scope, task: () => Result): Result =>
  scopes.run({ ...currentScope(), ...parts }, task);
