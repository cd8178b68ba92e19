/** Outcome of posting a frame; `failed`: the client does not read, or the holder of the socket cannot be reached. */
export type PostOutcome = "posted" | "gone" | "too-large" | "failed";

/** Outcome of closing a socket; `gone`: it has closed before, or its `$connect` function has not returned yet. */
export type CloseOutcome = "closed" | "gone" | "failed";

/** Whether a socket can be posted to. */
export type SocketState = "open" | "gone" | "unknown";

/** Sends frames to open sockets. No method throws, because one client's socket must not affect others. */
export interface Poster {
  /**
   * Post a frame. After `failed` the caller closes the socket: its client reconnects and reads what it missed, whereas
   * a frame left out of an open socket would go unnoticed.
   */
  post(socketId: string, frame: string): Promise<PostOutcome>;
  /** Whether a frame is small enough for a socket; one that is not is `too-large` for `post`. */
  fits(socketId: string, frame: string): boolean;
  stateOf(socketId: string): Promise<SocketState>;
  /** Close a socket, if its holder can be reached. */
  close(socketId: string): Promise<CloseOutcome>;
}
