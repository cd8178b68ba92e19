import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import type { Config } from "#shared/platform/config.ts";

/** Largest frame that API Gateway accepts. */
export const maxFrameBytes = 128 * 1024;

/** Outcome of posting a frame. */
export type PostOutcome = "posted" | "gone" | "too-large";

/** Outcome of closing a socket; `gone`: it has closed before, or its `$connect` function has not returned yet. */
export type CloseOutcome = "closed" | "gone" | "failed";

/** Longest time for closing a socket, with all attempts. */
const closeMilliseconds = 1500;

/** Sends frames to open sockets. */
export class SocketPoster {
  readonly #api: ApiGatewayManagementApiClient;

  constructor({ config: { socketsEndpoint } }: { config: Pick<Config, "socketsEndpoint"> }) {
    this.#api = new ApiGatewayManagementApiClient({ endpoint: socketsEndpoint });
  }

  async post(socketId: string, frame: string): Promise<PostOutcome> {
    if (Buffer.byteLength(frame) > maxFrameBytes) return "too-large";
    try {
      await this.#api.send(new PostToConnectionCommand({ ConnectionId: socketId, Data: Buffer.from(frame) }));
      return "posted";
    } catch (error) {
      if (error instanceof GoneException) return "gone";
      if (error instanceof PayloadTooLargeException) return "too-large";
      throw error;
    }
  }

  /** Whether the socket can be posted to: not before its `$connect` function has returned. */
  async isOpen(socketId: string): Promise<boolean> {
    try {
      await this.#api.send(new GetConnectionCommand({ ConnectionId: socketId }));
      return true;
    } catch (error) {
      if (error instanceof GoneException) return false;
      throw error;
    }
  }

  /** Close a socket. One that its client does not read must not delay others, so this takes a short time at most. */
  async close(socketId: string): Promise<CloseOutcome> {
    try {
      const abortSignal = AbortSignal.timeout(closeMilliseconds);
      await this.#api.send(new DeleteConnectionCommand({ ConnectionId: socketId }), { abortSignal });
      return "closed";
    } catch (error) {
      return error instanceof GoneException ? "gone" : "failed";
    }
  }
}
