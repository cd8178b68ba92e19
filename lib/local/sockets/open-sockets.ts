import type { WebSocket } from "ws";
import { type SocketPost, toPost } from "./post-log.ts";
import type { SocketIdentity } from "./socket-event.ts";

/** A socket whose handshake the function has accepted. */
export interface AdmittedSocket {
  readonly identity: SocketIdentity;
  readonly path: string;
  readonly userId: string | undefined;
}

export interface OpenSocket extends AdmittedSocket {
  readonly webSocket: WebSocket;
  /** Unix milliseconds. */
  lastActiveAt: number;
  /** Restarts the idle timeout. */
  touch(): void;
}

/** The kind of frames that clients get: existing servers send binary frames; API Gateway is documented to send text. */
export type FrameKind = "binary" | "text";

/** The sockets of a stack that can be posted to, by connection id. */
export class OpenSockets {
  readonly #sockets = new Map<string, OpenSocket>();
  readonly #onPost: ((post: SocketPost) => void) | undefined;
  readonly #sendsBinary: boolean;

  constructor(onPost?: (post: SocketPost) => void, frames: FrameKind = "binary") {
    this.#onPost = onPost;
    this.#sendsBinary = frames === "binary";
  }

  add(socket: OpenSocket): void {
    this.#sockets.set(socket.identity.connectionId, socket);
  }

  remove({ identity }: OpenSocket): void {
    this.#sockets.delete(identity.connectionId);
  }

  all(): OpenSocket[] {
    return [...this.#sockets.values()];
  }

  /** @returns undefined even while the socket is being closed */
  get(connectionId: string): OpenSocket | undefined {
    const socket = this.#sockets.get(connectionId);
    return socket?.webSocket.readyState === socket?.webSocket.OPEN ? socket : undefined;
  }

  send({ webSocket, touch }: OpenSocket, text: string): void {
    webSocket.send(text, { binary: this.#sendsBinary });
    touch();
  }

  post(socket: OpenSocket, text: string): void {
    const { identity, path, userId } = socket;
    this.send(socket, text);
    this.#onPost?.(toPost(text, { connectionId: identity.connectionId, path, userId }));
  }
}
