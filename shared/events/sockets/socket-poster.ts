import type { Config } from "#shared/platform/config.ts";
import type { Log } from "#shared/platform/log.ts";
import { GatewayPoster, maxGatewayFrameBytes } from "./gateway-poster.ts";
import type { CloseOutcome, Poster, PostOutcome, SocketState } from "./poster.ts";
import { relayOf } from "./relay.ts";
import { maxRelayFrameBytes, RelayPoster } from "./relay-poster.ts";
import type { RelayStore } from "./relay-store.ts";

/** An event with larger parts than this fits into no frame even if the parts overlap, so it is not read for one. */
export const readableBytes = 2 * maxRelayFrameBytes;

/** Reaches every socket, whether API Gateway or a relay holds it. */
export class SocketPoster implements Poster {
  /** Absent where API Gateway holds no sockets; earlier ones no longer exist. */
  readonly #gateway: GatewayPoster | undefined;
  /** Absent where no relay holds sockets. */
  readonly #relays: RelayPoster | undefined;

  constructor(deps: {
    config: Pick<Config, "socketsEndpoint" | "relayQueues" | "settings">;
    log: Log;
    relays: RelayStore;
  }) {
    const { socketsEndpoint, relayQueues: queues } = deps.config;
    this.#gateway = socketsEndpoint === "" ? undefined : new GatewayPoster(deps);
    this.#relays = queues === undefined ? undefined : new RelayPoster({ ...deps, queues });
  }

  /** Like `readableBytes`, for the kinds of sockets that exist here. */
  get readableBytes(): number {
    return this.#relays === undefined ? 2 * maxGatewayFrameBytes : readableBytes;
  }

  fits(socketId: string, frame: string): boolean {
    return this.#holderOf(socketId)?.fits(socketId, frame) ?? true;
  }

  async post(socketId: string, frame: string): Promise<PostOutcome> {
    if (!this.fits(socketId, frame)) return "too-large";
    return this.#holderOf(socketId)?.post(socketId, frame) ?? "gone";
  }

  async stateOf(socketId: string): Promise<SocketState> {
    return this.#holderOf(socketId)?.stateOf(socketId) ?? "gone";
  }

  async close(socketId: string): Promise<CloseOutcome> {
    return this.#holderOf(socketId)?.close(socketId) ?? "gone";
  }

  #holderOf(socketId: string): Poster | undefined {
    return relayOf(socketId) === undefined ? this.#gateway : this.#relays;
  }
}
