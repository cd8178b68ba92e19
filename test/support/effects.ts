import { dropOutbox } from "./drop-outbox.ts";
import { queueWorkers } from "./shared-stack.ts";

/** Tests that are looking for effects. */
const lookers = new Set<symbol>();

/**
 * Let the effects of answers happen: events, mails, pushes, the search index. They cost more than the answers
 * themselves, so they wait until a test is about to look for them. Effects that have waited until now happen first, so
 * that a test can also find that there are none.
 * @returns a function that lets effects wait again, unless other tests look for them
 */
export async function beginEffects(): Promise<() => void> {
  const own = Symbol();
  lookers.add(own);
  await queueWorkers()?.open();
  return () => {
    if (lookers.delete(own) && lookers.size === 0) queueWorkers()?.close();
  };
}

/** Run a task that looks for effects. */
export async function withEffects<Result>(task: () => Result | Promise<Result>): Promise<Result> {
  const end = await beginEffects();
  try {
    return await task();
  } finally {
    end();
  }
}

/** Drop what waits at the end of a file: only its tests could have looked for it. */
export async function dropEffects(): Promise<void> {
  lookers.clear();
  queueWorkers()?.close();
  if (queueWorkers() === undefined) return;
  await queueWorkers()?.drop();
  await dropOutbox();
}
