import { AsyncLocalStorage } from "node:async_hooks";
import type { AuditScope } from "./audit/audit-scope.ts";
import type { Handled, Meter, Sample } from "./usage/sample.ts";

/**
 * What travels with a request, or with what a worker handles, without being an argument. Nothing else may: each part is of use
 * to code that must not depend on who calls it, and none decides what a use case does.
 */
interface Scope {
  /** In each line of the log, and in what is put into the outbox: see `request-id.ts`. */
  readonly requestId?: string | undefined;
  /** Set when the work is measured, together with `meter`: see `usage/measured-work.ts`. */
  readonly sample?: Sample | undefined;
  readonly meter?: Meter;
  /** What a worker has handled of its batch so far. */
  readonly handled?: Handled[];
  /** Whether whoever asks may change anything: see `messaging/commit-guard.ts`. */
  readonly commitGuard?: () => Promise<void>;
  /** What the audit trail will say: see `audit/audited.ts`. */
  readonly audited?: AuditScope;
}

const nothing: Scope = {};
const scopes = new AsyncLocalStorage<Scope>();

/** What travels with the work that is under way. */
export const currentScope = (): Scope => scopes.getStore() ?? nothing;

/** Runs a task with these parts; it has all others of the work that it belongs to. */
export const withScope = <Result>(parts: Scope, task: () => Result): Result =>
  scopes.run({ ...currentScope(), ...parts }, task);
