import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import type { Config } from "../config.ts";

/** Largest frame that a socket of API Gateway takes. */
export const maxFrameBytes = 128 * 1024;

export type PostOutcome = "posted" | "gone" | "too-large";

/** Sends frames to open sockets. */
export class SocketPoster {
  readonly #client: ApiGatewayManagementApiClient;

  constructor({ socketsEndpoint }: Config) {
    this.#client = new ApiGatewayManagementApiClient({ endpoint: socketsEndpoint });
  }

  async post(socketId: string, frame: string): Promise<PostOutcome> {
    if (Buffer.byteLength(frame) > maxFrameBytes) return "too-large";
    try {
      await this.#client.send(
        new PostToConnectionCommand({ ConnectionId: socketId, Data: Buffer.from(frame) }),
      );
      return "posted";
    } catch (error) {
      if (error instanceof GoneException) return "gone";
      if (error instanceof PayloadTooLargeException) return "too-large";
      throw error;
    }
  }

  /** Whether the socket can be posted to; it cannot before its `$connect` function has answered. */
  async isOpen(socketId: string): Promise<boolean> {
    try {
      await this.#client.send(new GetConnectionCommand({ ConnectionId: socketId }));
      return true;
    } catch (error) {
      if (error instanceof GoneException) return false;
      throw error;
    }
  }

  async close(socketId: string): Promise<void> {
    try {
      await this.#client.send(new DeleteConnectionCommand({ ConnectionId: socketId }));
    } catch (error) {
      if (!(error instanceof GoneException)) throw error;
    }
  }
}
