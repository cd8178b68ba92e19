/** Runs tasks with the same key one after another, and others concurrently. */
export type InTurn = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>;

/**
 * Lets callers take turns that would otherwise conflict, so that all but one would have to start again. Only within a
 * process; across processes, they compete.
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
