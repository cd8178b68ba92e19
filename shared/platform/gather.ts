/**
 * Collects what is asked for in one turn of the event loop, and does it together: for calls that cost about the same
 * whether they are for one thing or for several. If that fails, it fails for everybody who asked.
 */
export function gather<Item>(
  doAll: (items: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let items: Item[] = [];
  let done: Promise<void> | undefined;

  async function doGathered(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const gathered = items;
    items = [];
    done = undefined;
    await doAll(gathered);
  }

  return (item) => {
    items.push(item);
    done ??= doGathered();
    return done;
  };
}
