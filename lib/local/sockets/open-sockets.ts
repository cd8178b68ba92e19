import type { WebSocket } from "ws";
import { type SocketPost, toPost } from "./post-log.ts";
import type { SocketIdentity } from "./socket-event.ts";

export interface OpenSocket {
  readonly identity: SocketIdentity;
  readonly path: string;
  readonly userId: string | undefined;
  readonly webSocket: WebSocket;
  /** Unix milliseconds. */
  lastActiveAt: number;
  /** Restarts the idle timeout. */
  touch(): void;
}

/** The sockets of a stack that can be posted to, by connection id. */
export class OpenSockets {
  readonly #sockets = new Map<string, OpenSocket>();
  readonly #onPost: ((post: SocketPost) => void) | undefined;

  constructor(onPost?: (post: SocketPost) => void) {
    this.#onPost = onPost;
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

  post({ identity, path, userId, webSocket, touch }: OpenSocket, text: string): void {
    webSocket.send(text);
    touch();
    this.#onPost?.(toPost(text, { connectionId: identity.connectionId, path, userId }));
  }
}
