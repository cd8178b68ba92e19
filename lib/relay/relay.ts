import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type RelayStore, relayLifeMilliseconds } from "#shared/events/sockets/relay-store.ts";
import { closeInTime, createSocketServer, type SocketServer } from "../sockets/socket-server.ts";
import { maxMessageBytes, maxSockets } from "./limits.ts";
import { RelayInbox } from "./relay-inbox.ts";
import { keepMembership } from "./relay-membership.ts";
import {
  type RelaySocket,
  RelaySockets,
  type RelaySocketsOptions,
  type SocketBounds,
} from "./relay-sockets.ts";

/** The parts of a relay. */
export interface RelayOptions
  extends Pick<RelaySocketsOptions, "invoke" | "clock" | "log" | "entranceHeaders" | "onFrame"> {
  readonly relays: RelayStore;
  /** Prefix of the URLs of the relays' queues. */
  readonly queues: string;
  readonly limits?: Partial<RelayLimits> | undefined;
}

/** Bounds of one relay. Times in seconds. */
export interface RelayLimits extends SocketBounds {
  /** Time between two checks of all sockets, and between two signs of life. */
  readonly sweep: number;
  readonly renewal: number;
}

const defaultLimits: RelayLimits = {
  maxSockets,
  maxHandshakes: 10_000,
  concurrentHandshakes: 100,
  longestLife: 2 * 3600,
  idle: 30,
  answer: 20,
  sweep: 5,
  renewal: relayLifeMilliseconds / 3000,
};

const drainStepMilliseconds = 100;

/** A running relay. */
export interface Relay {
  readonly id: string;
  readonly upgrade: SocketServer["upgrade"];
  /** Resolves when others have removed this relay, because it seemed dead; it must end. */
  readonly removed: Promise<void>;
  /** Whether it takes new sockets. */
  isReady(): boolean;
  openSockets(): number;
  /** Milliseconds that the orders received since the last call have waited on average; undefined without any. */
  takeFrameDelay(): number | undefined;
  /**
   * Refuse new sockets, tell all clients to reconnect, spread over `seconds`, then remove the queue. Clients read
   * undelivered events from their logs.
   */
  drain(seconds: number): Promise<void>;
}

/**
 * Start a relay: a process that holds sockets, calls the function for their events, and sends the frames from its
 * queue.
 */
export async function startRelay({ relays, queues, limits: given, ...rest }: RelayOptions): Promise<Relay> {
  const limits = { ...defaultLimits, ...given };
  const { log } = rest;
  const id = randomBytes(8).toString("hex");
  const sockets = new RelaySockets({ ...rest, relayId: id, bounds: limits });
  const removed = Promise.withResolvers<void>();
  let isDraining = false;
  let delays = { count: 0, milliseconds: 0 };

  const server = createSocketServer<RelaySocket>(
    {
      admit: (request) => sockets.admit(request),
      opened: (socket, webSocket) => sockets.opened(socket, webSocket),
      received: (socket, { data }) => sockets.received(socket, data),
      closed: (socket) => sockets.closed(socket),
    },
    { maxMessageBytes },
  );
  const inbox = new RelayInbox({ queues, relayId: id, log });
  await relays.add(id);
  await inbox.open((orders, waitedMilliseconds) => {
    delays = { count: delays.count + 1, milliseconds: delays.milliseconds + waitedMilliseconds };
    sockets.carryOut(orders);
  });
  const stopMembership = keepMembership({
    id,
    relays,
    queues,
    log,
    renewalSeconds: limits.renewal,
    onRemoved: removed.resolve,
    close: (socketIds) => sockets.close(socketIds),
  });
  const sweeper = setInterval(() => sockets.sweep(), limits.sweep * 1000);

  async function closeAll(seconds: number): Promise<void> {
    const open = sockets.open();
    const steps = Math.max(1, Math.floor((seconds * 1000) / drainStepMilliseconds));
    const perStep = Math.ceil(open.length / steps);
    const closing: Promise<void>[] = [];
    while (open.length > 0) {
      closing.push(...open.splice(0, perStep).map((one) => closeInTime(one)));
      if (open.length > 0) await delay(drainStepMilliseconds);
    }
    await Promise.all(closing);
  }

  return {
    id,
    upgrade: server.upgrade,
    removed: removed.promise,
    isReady: () => !isDraining,
    openSockets: () => sockets.count,
    takeFrameDelay() {
      const { count, milliseconds } = delays;
      delays = { count: 0, milliseconds: 0 };
      return count === 0 ? undefined : milliseconds / count;
    },
    async drain(seconds) {
      isDraining = true;
      server.refuseAll();
      await closeAll(seconds);
      await server.settled();
      clearInterval(sweeper);
      await stopMembership();
      await inbox.remove();
      await relays.remove(id);
    },
  };
}
