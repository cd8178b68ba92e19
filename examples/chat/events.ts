import type { Api } from "./api.ts";

/** An event of the service (`docs/events.md`). */
export interface ServiceEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has fields of its own
  readonly [field: string]: any;
}

export interface Notification {
  readonly id: string;
  readonly payload: readonly ServiceEvent[];
  /** Whether it is only sent to sockets, and stored nowhere. */
  readonly transient?: boolean;
}

interface Listener {
  /** The last notification that was handled, or undefined on a new device. */
  readonly last: () => string | undefined;
  /** Called with one notification after the other. */
  readonly handle: (notification: Notification) => Promise<void>;
  readonly connected: (isConnected: boolean) => void;
}

const pingMilliseconds = 30_000;
const longestPauseMilliseconds = 15_000;

/** The events of a device, in their order and each once, whatever happens to its socket. */
export class EventStream {
  readonly #api: Api;
  readonly #listener: Listener;
  /** Notifications that arrived on the socket and by request, too. */
  readonly #handled = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(api: Api, listener: Listener) {
    this.#api = api;
    this.#listener = listener;
  }

  /** Handle all that arrives, until the page is left. */
  async run(): Promise<never> {
    for (let failures = 0; ; failures += 1) {
      const openedAt = Date.now();
      await this.#listen().catch(() => undefined);
      this.#listener.connected(false);
      if (Date.now() - openedAt > pingMilliseconds) failures = 0;
      await pause(Math.min(500 * 2 ** failures, longestPauseMilliseconds));
      // The token may have expired, and without a socket events wait here.
      await this.catchUp().catch(() => undefined);
    }
  }

  /** Handle what has happened since the last notification. */
  catchUp(): Promise<void> {
    return this.#inTurn(async () => {
      for (let hasMore = true; hasMore; ) {
        const since = this.#listener.last();
        const query = new URLSearchParams({
          client: this.#api.clientId ?? "",
          size: "500",
          ...(since !== undefined && { since }),
        });
        const response = await this.#api.fetch("GET", `/notifications?${query}`);
        // With 404, the last one is no longer kept, and the answer begins with the oldest that is.
        if (!response.ok && response.status !== 404) throw new Error(`Events: ${response.status}`);
        const { notifications, has_more } = await response.json();
        for (const notification of notifications) await this.#handle(notification);
        hasMore = has_more;
      }
    });
  }

  /** Resolves when the socket has closed. */
  #listen(): Promise<void> {
    const socket = new WebSocket(this.#api.socketAddress());
    socket.binaryType = "arraybuffer";
    const ping = setInterval(
      () => socket.readyState === WebSocket.OPEN && socket.send("ping"),
      pingMilliseconds,
    );
    socket.addEventListener("open", () => {
      this.#listener.connected(true);
      // First what was missed; what arrives meanwhile waits for its turn.
      this.catchUp().catch(() => socket.close());
    });
    socket.addEventListener("message", ({ data }) => {
      const frame = typeof data === "string" ? data : new TextDecoder().decode(data);
      if (frame !== "pong") this.#inTurn(() => this.#handle(JSON.parse(frame)));
    });
    return new Promise((resolve) => {
      socket.addEventListener("close", () => {
        clearInterval(ping);
        resolve();
      });
    });
  }

  async #handle(notification: Notification): Promise<void> {
    if (this.#handled.has(notification.id)) return;
    this.#handled.add(notification.id);
    await this.#listener.handle(notification);
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
