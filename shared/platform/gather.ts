/**
 * Collects the requests of one turn of the event loop and handles them together, for calls that cost about the same for
 * one thing or several. A failure is that of all callers.
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
    done ??= runGathered();
    return done;
  };
}
