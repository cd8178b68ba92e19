import type { Notification } from "./events.ts";
import { ApiError, type Session } from "./session.ts";

export interface Options {
  /** Id of the last notification that was handled; undefined on a new device. */
  readonly since?: string;
  /** Ends the notifications. */
  readonly signal?: AbortSignal;
  /** Some are lost, because they are no longer kept: read conversations, connections and the profile anew. */
  readonly onGap?: () => void | Promise<void>;
  /** Whether the socket is open now; the reason if it is not. */
  readonly onConnection?: (isOpen: boolean, reason?: unknown) => void;
}

const pingMilliseconds = 30_000;
const shortestPauseMilliseconds = 500;
const longestPauseMilliseconds = 30_000;
/** More than can arrive on a socket while missed notifications are read. */
const rememberedIds = 10_000;
/** Statuses below 500 that another attempt may not meet. */
const passing = new Set([408, 409, 429]);

/**
 * The notifications of a session: those missed since the last one, then those to come, each once and in the order of the
 * service, for as long as the session lasts. Sockets that close are opened again, with growing pauses.
 *
 * After a crash, the service would send a notification again that was handled, but not noted. Therefore store its id,
 * unless it is transient, in the same transaction as what its events change, and begin with this id next time.
 *
 * @throws ApiError when the session is over, and the person has to log in again
 */
export async function* notifications(session: Session, options: Options = {}): AsyncGenerator<Notification> {
  const { signal, onConnection = () => {} } = options;
  const progress = new Progress(options.since);
  const isEnded = () => signal?.aborted === true;
  let socket: EventSocket | undefined;
  signal?.addEventListener("abort", () => socket?.close(), { once: true });
  for (let failures = 0; !isEnded(); failures++) {
    const startedAt = Date.now();
    let reason: unknown;
    try {
      // Sockets do not say why they are refused: this tells whether the session is over.
      await session.refresh();
      signal?.throwIfAborted();
      socket = new EventSocket(session.socketAddress());
      await socket.opened;
      onConnection(true);
      // Those that arrive meanwhile wait. Reading first, and opening then, would lose what happens between.
      yield* progress.unseen(missed(session, progress, options));
      yield* progress.unseen(socket);
    } catch (error) {
      if (isFinal(error)) throw error;
      reason = error;
    } finally {
      socket?.close();
    }
    if (isEnded()) return;
    onConnection(false, reason);
    if (Date.now() - startedAt > longestPauseMilliseconds) failures = 0;
    await pause(failures, signal);
  }
}

/** What has been handled. */
class Progress {
  /** The last notification that the service keeps. */
  since: string | undefined;
  readonly #seen = new Set<string>();

  constructor(since: string | undefined) {
    this.since = since;
  }

  /** Leave out repeats: notifications come both on the socket and by request, and the service may send one twice. */
  async *unseen(all: AsyncIterable<Notification>): AsyncGenerator<Notification> {
    for await (const notification of all) {
      const { id, transient = false } = notification;
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      if (!transient) this.since = id;
      const [oldest] = this.#seen;
      if (this.#seen.size > rememberedIds && oldest !== undefined) this.#seen.delete(oldest);
      yield notification;
    }
  }
}

async function* missed(
  session: Session,
  progress: Progress,
  { onGap = () => {} }: Options,
): AsyncGenerator<Notification> {
  const { device } = session;
  for (let hasMore = true; hasMore; ) {
    const { since } = progress;
    const query = new URLSearchParams({
      size: "500",
      ...(device && { client: device }),
      ...(since && { since }),
    });
    const page = await session.call("GET", `/notifications?${query}`).catch((error: unknown) => {
      if (since === undefined || !(error instanceof ApiError) || error.label !== "not-found") throw error;
    });
    if (page === undefined) {
      await onGap();
      progress.since = undefined;
      continue;
    }
    yield* page.notifications;
    hasMore = page.has_more;
  }
}

/** The notifications that arrive on a socket, until it closes. */
class EventSocket implements AsyncIterable<Notification> {
  /** Rejects if the socket closes before. */
  readonly opened: Promise<void>;
  readonly #socket: WebSocket;
  readonly #waiting: Notification[] = [];
  readonly #ping = setInterval(() => this.#check(), pingMilliseconds);
  #isAlive = true;
  #isClosed = false;
  #wake = () => {};

  constructor(address: string) {
    this.#socket = new WebSocket(address);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data));
    this.opened = new Promise((resolve, reject) => {
      this.#socket.addEventListener("open", () => resolve());
      this.#socket.addEventListener("close", () => {
        this.close();
        reject(new Error("The socket was refused"));
      });
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Notification> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Does not wait for the other end, which may be gone. */
  close(): void {
    clearInterval(this.#ping);
    this.#isClosed = true;
    this.#socket.close();
    this.#wake();
  }

  /** Frames are binary, and text behind API Gateway. */
  #receive(data: string | ArrayBuffer): void {
    this.#isAlive = true;
    const frame = typeof data === "string" ? data : new TextDecoder().decode(data);
    if (frame === "pong" || this.#isClosed) return;
    this.#waiting.push(JSON.parse(frame));
    this.#wake();
  }

  /** Close a connection that has silently broken, as when a phone changes networks. */
  #check(): void {
    if (!this.#isAlive) this.close();
    this.#isAlive = false;
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send("ping");
  }
}

/** Whether another attempt would fail the same way. */
const isFinal = (error: unknown) =>
  error instanceof ApiError && error.status < 500 && !passing.has(error.status);

/** A random part keeps clients from coming back all at the same time. */
function pause(failures: number, signal: AbortSignal | undefined): Promise<void> {
  const longest = Math.min(shortestPauseMilliseconds * 2 ** failures, longestPauseMilliseconds);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, longest * (0.5 + Math.random() / 2));
    signal?.addEventListener("abort", end);
  });
}
