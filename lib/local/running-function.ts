import { AsyncLocalStorage } from "node:async_hooks";
import type { TableName } from "#shared/registry/tables.ts";
import type { FunctionManifest } from "../function-modules.ts";

export interface RunningFunction {
  readonly manifest: FunctionManifest;
  /** The set of functions that it belongs to. */
  readonly instance: string;
  /** Name of a resource of its stack in the emulators. */
  readonly nameOf: (resource: string) => string;
  readonly tableName: (name: TableName) => string;
  /** Trace header of messages that it sends. */
  readonly traceHeader?: string;
  /** A table that an audited request has changed. */
  changedTable?: string;
  /** Whether it has written a record for the audit trail. */
  isRecorded?: boolean;
  /** Whether a record lacks its target. */
  hasEmptyTarget?: boolean;
  /** The same of a record of a refused attempt. */
  hasEmptyRefusal?: boolean;
}

/** The function on whose behalf code is running. */
export const runningFunction = new AsyncLocalStorage<RunningFunction>();
