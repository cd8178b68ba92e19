import { onBehalfOf } from "./request-id.ts";

/**
 * Collects the requests of one turn of the event loop and handles them together, for calls that cost about the same for
 * one thing or several. All callers get the same failure. The call is on behalf of no request, because the callers may
 * serve different ones.
 */
export function gather<Item>(
  doAll: (items: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let items: Item[] = [];
  let done: Promise<void> | undefined;

  async function runGathered(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const gathered = items;
    items = [];
    done = undefined;
    await doAll(gathered);
  }

  return (item) => {
    items.push(item);
    done ??= onBehalfOf(undefined, runGathered);
    return done;
  };
}
