import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { Config } from "#shared/platform/config.ts";
import type { Log } from "#shared/platform/log.ts";
import { emitMetric } from "#shared/platform/metrics.ts";

/** Largest frame that API Gateway accepts. */
export const maxFrameBytes = 128 * 1024;
/** An event whose parts are larger than this fits into no frame, however they overlap, so it is not even read for one. */
export const readableBytes = 2 * maxFrameBytes;

/** Outcome of posting a frame; `failed`: the socket does not read, or API Gateway does not answer. */
export type PostOutcome = "posted" | "gone" | "too-large" | "failed";

/** Outcome of closing a socket; `gone`: it has closed before, or its `$connect` function has not returned yet. */
export type CloseOutcome = "closed" | "gone" | "failed";

/** Sends frames to open sockets. No method throws: one client's socket must never fail what others are waiting for. */
export class SocketPoster {
  readonly #api: ApiGatewayManagementApiClient;
  readonly #log: Log;
  /** Longest time for one call, with a second attempt if the first one fails early. */
  readonly #callMilliseconds: number;

  constructor({ config, log }: { config: Pick<Config, "socketsEndpoint" | "settings">; log: Log }) {
    const { socketPostMilliseconds } = config.settings;
    this.#log = log;
    this.#callMilliseconds = socketPostMilliseconds;
    this.#api = new ApiGatewayManagementApiClient({
      endpoint: config.socketsEndpoint,
      maxAttempts: 2,
      requestHandler: {
        ...awsClientOptions().requestHandler,
        connectionTimeout: socketPostMilliseconds,
        requestTimeout: socketPostMilliseconds,
        throwOnRequestTimeout: true,
      },
    });
  }

  /**
   * Post a frame. After `failed` the caller closes the socket: its client reconnects and reads what it missed, whereas a
   * frame left out of an open socket would go unnoticed.
   */
  async post(socketId: string, frame: string): Promise<PostOutcome> {
    if (Buffer.byteLength(frame) > maxFrameBytes) return "too-large";
    const post = new PostToConnectionCommand({ ConnectionId: socketId, Data: Buffer.from(frame) });
    try {
      await this.#api.send(post, this.#timeLimit());
      return "posted";
    } catch (error) {
      if (error instanceof GoneException) return "gone";
      if (error instanceof PayloadTooLargeException) return "too-large";
      this.#log.warn("socket-post-failed", { socketId, error: error as Error });
      emitMetric("FailedPosts", { value: 1, unit: "Count", queue: "events", log: this.#log });
      return "failed";
    }
  }

  /** Whether the socket can be posted to: not before its `$connect` function has returned. */
  async stateOf(socketId: string): Promise<"open" | "gone" | "unknown"> {
    try {
      await this.#api.send(new GetConnectionCommand({ ConnectionId: socketId }), this.#timeLimit());
      return "open";
    } catch (error) {
      if (error instanceof GoneException) return "gone";
      this.#log.warn("socket-check-failed", { socketId, error: error as Error });
      return "unknown";
    }
  }

  /** Close a socket, as far as API Gateway can be reached. */
  async close(socketId: string): Promise<CloseOutcome> {
    try {
      await this.#api.send(new DeleteConnectionCommand({ ConnectionId: socketId }), this.#timeLimit());
      return "closed";
    } catch (error) {
      if (error instanceof GoneException) return "gone";
      this.#log.warn("socket-close-failed", { socketId, error: error as Error });
      return "failed";
    }
  }

  #timeLimit() {
    return { abortSignal: AbortSignal.timeout(this.#callMilliseconds) };
  }
}
