import { type ClientOptions, WebSocket } from "ws";
import { beginEffects } from "./effects.ts";
import { sharedStack } from "./shared-stack.ts";

/** Options of the handshake of a socket. */
export interface SocketRequest {
  /** Access token, sent as a header. */
  readonly token?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Longer than a busy machine needs. */
const timeoutMilliseconds = 60_000;

const open = new Set<WebSocket>();

/** Close the sockets that a test file has left open. */
export function terminateSockets(): void {
  for (const socket of open) socket.terminate();
}

/** The client's end of a socket, with everything it has received. */
export class TestSocket {
  /** Everything received so far: parsed if it is JSON, otherwise the text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
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

  /** The first matching frame, whether already received or still to come. */
  // biome-ignore lint/suspicious/noExplicitAny: see `frames`
  async next(isWanted: (frame: any) => boolean): Promise<any> {
    await this.until((frames) => frames.some(isWanted));
    return this.frames.find(isWanted);
  }

  /** The first `count` frames, as soon as there are that many. */
  // biome-ignore lint/suspicious/noExplicitAny: see `frames`
  async first(count: number): Promise<any[]> {
    await this.until((frames) => frames.length >= count);
    return this.frames.slice(0, count);
  }

  /** Wait for a condition. @throws Error with the frames received, if it is not met in time */
  // biome-ignore lint/suspicious/noExplicitAny: see `frames`
  until(isReached: (frames: any[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(check);
        reject(
          new Error(`Only got ${this.frames.length} frames: ${JSON.stringify(this.frames).slice(0, 2000)}`),
        );
      }, timeoutMilliseconds);
      const check = () => {
        if (!isReached(this.frames)) return;
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve();
      };
      this.#listeners.add(check);
      check();
    });
  }

  /** Send an object as JSON, anything else as it is. */
  send(frame: object | string | Buffer): void {
    this.#socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  /** Drop the connection without a close frame. */
  async terminate(): Promise<void> {
    this.#socket.terminate();
    await this.closed;
  }
}

/** Open a socket of a stack, by default the shared one. @throws Error with the status if it is refused */
export async function openSocket(
  path: string,
  request: SocketRequest = {},
  { publicUrl = sharedStack().publicUrl }: { publicUrl?: string } = {},
): Promise<TestSocket> {
  const result = await shakeHands(path, request, publicUrl);
  if (typeof result === "number") throw new Error(`${path} was refused with ${result}`);
  return result;
}

/** Try to open a socket. @returns the status of the handshake, 101 if the socket opened */
export async function handshakeStatus(
  path: string,
  request: SocketRequest = {},
  { publicUrl = sharedStack().publicUrl }: { publicUrl?: string } = {},
): Promise<number> {
  const result = await shakeHands(path, request, publicUrl);
  if (typeof result === "number") return result;
  await result.close();
  return 101;
}

async function shakeHands(
  path: string,
  { token, query = {}, headers = {} }: SocketRequest,
  publicUrl: string,
): Promise<TestSocket | number> {
  const url = new URL(path, publicUrl.replace(/^http/, "ws"));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const options: ClientOptions = {
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  };
  // As long as a socket is open, events arrive at it.
  const endEffects = await beginEffects();
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, options);
    // Immediately: a frame may arrive together with the answer to the handshake.
    const opened = new TestSocket(socket);
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      endEffects();
    });
    socket.on("open", () => resolve(opened));
    socket.on("unexpected-response", (request, response) => {
      response.resume();
      request.destroy();
      endEffects();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", (error) => {
      endEffects();
      reject(error);
    });
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
