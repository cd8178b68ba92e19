import { currentScope, withScope } from "../scope.ts";

/** Run a task; the guard decides once, when the task first intends to change something, about all that it changes. */
export function guardCommits<Result>(
  guard: () => Promise<void>,
  task: () => Promise<Result>,
): Promise<Result> {
  let decided: Promise<void> | undefined;
  const commitGuard = () => {
    decided ??= guard();
    // The concurrent read may fail first.
    decided.catch(() => undefined);
    return decided;
  };
  return withScope({ commitGuard }, task);
}

/**
 * Let the guard decide whether the caller of this request may make changes. It takes a read, so call this concurrently
 * with the reads of the use case, as `change` does. Outside a request, everything is allowed.
 */
export const mayCommit = (): Promise<void> => currentScope().commitGuard?.() ?? Promise.resolve();
