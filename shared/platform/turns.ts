/** Runs tasks with the same key one after another, and others concurrently. */
export type InTurn = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>;

/**
 * Lets those take turns who would only get in each other's way, because all but one of them would have to start again.
 * Only within a process: elsewhere, they compete.
 */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const running = (last.get(key) ?? Promise.resolve()).then(task);
    const ended = running.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, ended);
    try {
      return await running;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
