import { inject } from "vitest";
import { type ClientOptions, WebSocket } from "ws";

export interface SocketRequest {
  /** Access token, sent as a header. */
  readonly token?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const patienceMilliseconds = 30_000;

const open = new Set<WebSocket>();

/** End the sockets that a test file has left open. */
export function terminateSockets(): void {
  for (const socket of open) socket.terminate();
}

/** What a client has got over a socket, and what it does with it. */
export class TestSocket {
  /** Everything so far: parsed when it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came
  readonly frames: any[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: see `frames`
  onFrame: ((frame: any) => void) | undefined;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #listeners = new Set<() => void>();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const frame = parse(String(data));
      this.frames.push(frame);
      this.onFrame?.(frame);
      for (const listener of this.#listeners) listener();
    });
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  /** The first frame, of all that came or will come, that is wanted. */
  // biome-ignore lint/suspicious/noExplicitAny: see `frames`
  async next(isWanted: (frame: any) => boolean): Promise<any> {
    await this.until((frames) => frames.some(isWanted));
    return this.frames.find(isWanted);
  }

  /** The first frames, as soon as there are so many. */
  // biome-ignore lint/suspicious/noExplicitAny: see `frames`
  async first(count: number): Promise<any[]> {
    await this.until((frames) => frames.length >= count);
    return this.frames.slice(0, count);
  }

  /** @throws Error with what came, when it does not get there in time */
  // biome-ignore lint/suspicious/noExplicitAny: see `frames`
  until(isReached: (frames: any[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        this.#listeners.delete(look);
        reject(
          new Error(`Only got ${this.frames.length} frames: ${JSON.stringify(this.frames).slice(0, 2000)}`),
        );
      }, patienceMilliseconds);
      const look = () => {
        if (!isReached(this.frames)) return;
        clearTimeout(giveUp);
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** An object as JSON, anything else as it is. */
  send(frame: object | string | Buffer): void {
    this.#socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  /** Vanish without a word. */
  async terminate(): Promise<void> {
    this.#socket.terminate();
    await this.closed;
  }
}

/** Open a socket of a stack, the shared one unless another is named. @throws Error with the status of a refusal */
export async function openSocket(
  path: string,
  request: SocketRequest = {},
  { publicUrl = inject("publicUrl") }: { publicUrl?: string } = {},
): Promise<TestSocket> {
  const result = await shakeHands(path, request, publicUrl);
  if (typeof result === "number") throw new Error(`${path} was refused with ${result}`);
  return result;
}

/** Status with which a handshake is answered: 101 when the socket opens. */
export async function handshakeStatus(
  path: string,
  request: SocketRequest = {},
  { publicUrl = inject("publicUrl") }: { publicUrl?: string } = {},
): Promise<number> {
  const result = await shakeHands(path, request, publicUrl);
  if (typeof result === "number") return result;
  await result.close();
  return 101;
}

function shakeHands(
  path: string,
  { token, query = {}, headers = {} }: SocketRequest,
  publicUrl: string,
): Promise<TestSocket | number> {
  const url = new URL(path, publicUrl.replace(/^http/, "ws"));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const options: ClientOptions = {
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  };
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, options);
    // At once: a frame may come with the answer to the handshake.
    const opened = new TestSocket(socket);
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("open", () => resolve(opened));
    socket.on("unexpected-response", (request, response) => {
      response.resume();
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", reject);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
