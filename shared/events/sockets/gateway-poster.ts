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
import { countFrame } from "#shared/platform/usage/measured-work.ts";
import type { CloseOutcome, Poster, PostOutcome, SocketState } from "./poster.ts";

/** Largest frame that API Gateway accepts. */
export const maxGatewayFrameBytes = 128 * 1024;

/** Sends frames to sockets of API Gateway. */
export class GatewayPoster implements Poster {
  readonly #api: ApiGatewayManagementApiClient;
  readonly #log: Log;
  /** Longest time for one call, including a second attempt if the first one fails early. */
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

  fits(_socketId: string, frame: string): boolean {
    return Buffer.byteLength(frame) <= maxGatewayFrameBytes;
  }

  async post(socketId: string, frame: string): Promise<PostOutcome> {
    const post = new PostToConnectionCommand({ ConnectionId: socketId, Data: Buffer.from(frame) });
    try {
      await this.#api.send(post, this.#timeLimit());
      countFrame();
      return "posted";
    } catch (error) {
      if (error instanceof GoneException) return "gone";
      if (error instanceof PayloadTooLargeException) return "too-large";
      this.#log.warn("socket-post-failed", { socketId, error: error as Error });
      emitMetric("FailedPosts", { value: 1, unit: "Count", queue: "events", log: this.#log });
      return "failed";
    }
  }

  /** @returns `open` only after the `$connect` function has returned */
  async stateOf(socketId: string): Promise<SocketState> {
    try {
      await this.#api.send(new GetConnectionCommand({ ConnectionId: socketId }), this.#timeLimit());
      return "open";
    } catch (error) {
      if (error instanceof GoneException) return "gone";
      this.#log.warn("socket-check-failed", { socketId, error: error as Error });
      return "unknown";
    }
  }

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
