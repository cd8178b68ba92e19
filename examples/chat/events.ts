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
  /** Whether it is only sent to sockets and not stored. */
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

/** The events of a device, each once and in order, even if its socket closes. */
export class EventStream {
  readonly #api: Api;
  readonly #listener: Listener;
  /** Notifications that have arrived both on the socket and by request. */
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
      // Renews the token if it has expired, and fetches events that wait while there is no socket.
      await this.catchUp().catch(() => undefined);
    }
  }

  /** Handle what has happened since the last notification. */
  catchUp(): Promise<void> {
    return this.#inTurn(async () => {
      let since = this.#listener.last();
      for (let hasMore = true; hasMore; ) {
        const query = new URLSearchParams({
          client: this.#api.clientId ?? "",
          size: "500",
          ...(since !== undefined && { since }),
        });
        const response = await this.#api.fetch("GET", `/notifications?${query}`);
        if (response.status === 404 && since !== undefined) {
          // The last notification is no longer kept: begin with the oldest that is.
          since = undefined;
          continue;
        }
        if (!response.ok) throw new Error(`Events: ${response.status}`);
        const { notifications, has_more } = await response.json();
        since = notifications.at(-1)?.id ?? since;
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
      // Missed notifications come first; those that arrive meanwhile wait for their turn.
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
