/** The cookies of one pane, by name; only name, value and path matter here. */
type Jar = Map<string, { readonly value: string; readonly path: string }>;

/** The cookies of the panes of chats, each apart from the others as in a browser of its own. */
export class CookieJars {
  readonly #limit: number;
  /** By pane, least recently used first. */
  readonly #jars = new Map<string, Jar>();

  /** @param limit number of jars that are kept */
  constructor(limit = 40) {
    this.#limit = limit;
  }

  /** Store what an answer sets (RFC 6265 §5.2). */
  store(pane: string, setCookies: readonly string[]): void {
    if (setCookies.length === 0) return;
    const jar = this.#jars.get(pane) ?? new Map();
    this.#jars.delete(pane);
    this.#jars.set(pane, jar);
    for (const line of setCookies) {
      const [pair = "", ...attributes] = line.split(/;\s*/);
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) || "/";
      if (value === "" || attributes.some((attribute) => /^max-age=0$/i.test(attribute))) jar.delete(name);
      else jar.set(name, { value, path });
    }
    const [oldest] = this.#jars.keys();
    if (this.#jars.size > this.#limit && oldest !== undefined) this.#jars.delete(oldest);
  }

  /** The header for a request; undefined if there is no cookie for its path. */
  headerFor(pane: string, path: string): string | undefined {
    const pairs = [...(this.#jars.get(pane) ?? [])]
      .filter(([, cookie]) => isBelow(path, cookie.path))
      .map(([name, { value }]) => `${name}=${value}`);
    return pairs.length > 0 ? pairs.join("; ") : undefined;
  }
}

/** Path-match of RFC 6265 §5.1.4. */
const isBelow = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
