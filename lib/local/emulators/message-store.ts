import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";

/** An email, SMS or push that the functions have sent. */
export interface SentMessage {
  readonly id: string;
  readonly kind: "email" | "sms" | "push";
  /** Address, number, or push token. */
  readonly to: string;
  readonly from: string;
  readonly subject?: string;
  readonly text: string;
  readonly html?: string;
  /** Headers, with the names that the sender gave them. */
  readonly headers: Readonly<Record<string, string>>;
  /** ISO 8601 */
  readonly sentAt: string;
}

/** Called with each new message, and with undefined after all were removed. */
type Listener = (message: SentMessage | undefined) => void;

const keptMessages = 10_000;

/** The latest messages sent; the oldest are dropped first. With a file (JSON lines), they survive a restart. */
export class MessageStore {
  readonly #file: string | undefined;
  readonly #listeners = new Set<Listener>();
  /** Oldest first. */
  #messages: SentMessage[];

  constructor(file?: string) {
    this.#file = file;
    this.#messages = file !== undefined && existsSync(file) ? readMessages(file) : [];
  }

  add(content: Omit<SentMessage, "id" | "sentAt">): SentMessage {
    const message = { id: randomUUID(), ...content, sentAt: new Date().toISOString() };
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(message)}\n`, { mode: 0o600 });
    this.#messages.push(message);
    if (this.#messages.length > keptMessages) this.#messages.shift();
    for (const listener of this.#listeners) listener(message);
    return message;
  }

  /** Newest first; `to` is an address, number or token in any case. */
  list({ to }: { to?: string } = {}): SentMessage[] {
    const wanted = to?.toLowerCase();
    const found =
      wanted === undefined
        ? this.#messages
        : this.#messages.filter((message) => message.to.toLowerCase() === wanted);
    return found.toReversed();
  }

  get(id: string): SentMessage | undefined {
    return this.#messages.find((message) => message.id === id);
  }

  clear(): void {
    if (this.#file !== undefined) writeFileSync(this.#file, "", { mode: 0o600 });
    this.#messages = [];
    for (const listener of this.#listeners) listener(undefined);
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function readMessages(file: string): SentMessage[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const messages = lines.slice(-keptMessages).flatMap(parseLine);
  // Drop a torn line left by a killed process, because the next line would be appended to it.
  writeFileSync(file, messages.map((message) => `${JSON.stringify(message)}\n`).join(""), { mode: 0o600 });
  return messages;
}

function parseLine(line: string): SentMessage[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
