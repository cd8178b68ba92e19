import { AsyncLocalStorage } from "node:async_hooks";

/** Decides whether somebody's changes may be committed; throws if not. */
type Guard = () => Promise<void>;

const guards = new AsyncLocalStorage<Guard>();

/** Run a task; the guard decides once, when the task first intends to change something, about all that it changes. */
export function guardCommits<Result>(guard: Guard, task: () => Promise<Result>): Promise<Result> {
  let decided: Promise<void> | undefined;
  return guards.run(() => {
    decided ??= guard();
    // What is read at the same time may fail first.
    decided.catch(() => undefined);
    return decided;
  }, task);
}

/**
 * Let the guard decide whether the caller of this request may change anything. It takes a read, so call this together
 * with what a use case reads before it writes; `change` does. Outside a request, everything is allowed.
 */
export const mayCommit = (): Promise<void> => guards.getStore()?.() ?? Promise.resolve();
