import { dropOutbox } from "./drop-outbox.ts";
import { queueWorkers } from "./shared-stack.ts";

/** Tests that are looking for effects. */
const lookers = new Set<symbol>();

/**
 * Let what followed from answers happen (events, mails, pushes, the search index), which costs more than the answers
 * themselves: so it waits until a test is about to look for it. What has waited until now is done first, so that a test
 * can also find that there is nothing.
 * @returns a function that lets effects wait again, unless others look for them
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
