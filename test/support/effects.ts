import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true });
let controlUrl: string | undefined;
/** Who is looking for effects. */
const lookers = new Set<symbol>();
let last: Promise<unknown> = Promise.resolve();

/** Name the process that holds back the effects of what this worker's tests do. */
export function controlEffectsAt(url: string): void {
  controlUrl = url;
}

/** One after the other: the process must not be told to begin after it was told to end. */
function tell(command: "open" | "close" | "drop"): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const send = () =>
    request(`${controlUrl}/${command}`, { agent }, (response) => response.resume().on("end", resolve))
      .on("error", reject)
      .end();
  // Whoever told it something that failed knows that already.
  const earlier = last.catch(() => {});
  last = earlier.then(() => (controlUrl === undefined ? resolve() : send())).then(() => promise);
  return last;
}

/**
 * Let what followed from answers happen (events, mails, pushes, the search index), which costs more than the answers
 * themselves: so it waits until a test is about to look for it. What has waited until now is done first, so that a test
 * can also find that there is nothing.
 * @returns a function that lets effects wait again, unless others look for them
 */
export async function beginEffects(): Promise<() => void> {
  const own = Symbol();
  lookers.add(own);
  if (lookers.size === 1) tell("open");
  await last;
  return () => {
    if (lookers.delete(own) && lookers.size === 0) tell("close").catch(() => {});
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
  await tell("drop");
}
