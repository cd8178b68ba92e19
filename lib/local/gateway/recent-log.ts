/** The latest entries of a log, for the console; the oldest are dropped first. */
export class RecentLog<Entry> {
  readonly #keptEntries: number;
  readonly #listeners = new Set<(entry: Entry) => void>();
  readonly #entries: Entry[] = [];

  constructor(keptEntries: number) {
    this.#keptEntries = keptEntries;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.#keptEntries) this.#entries.shift();
    for (const listener of this.#listeners) listener(entry);
  }

  /** Newest first. */
  list(): Entry[] {
    return this.#entries.toReversed();
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
