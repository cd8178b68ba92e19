import { SQSClient } from "@aws-sdk/client-sqs";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { removePushTokens } from "#shared/events/push/remove-push-tokens.ts";
import { relayOf } from "#shared/events/sockets/relay.ts";
import { handshakeMilliseconds, type Socket } from "#shared/events/sockets/socket.ts";
import {
  type SocketCheck,
  SocketChecks,
  type SocketClosure,
  socketCheck,
  socketClosure,
} from "#shared/events/sockets/socket-closure.ts";
import { socketParts } from "#shared/events/sockets/socket-parts.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import type { Sessions } from "#shared/sessions/session.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { endOf, socketsToClose } from "#shared/sessions/sockets-to-close.ts";

/** Handle messages from the queue `socket-closures`: closures from the outbox, and requests to check a user's sockets. */
export function createHandler(deps: Deps) {
  const { outbox } = deps;

  async function handle({ payload }: OutboxItem): Promise<void> {
    const closure = socketClosure.parse(payload);
    // Neither waits for the other, because a device that has just been removed may still register tokens rapidly.
    await allDone([closeDueSockets(deps, closure), removeTokensOfDevice(deps, closure)]);
  }

  async function check(content: unknown): Promise<boolean> {
    const request = socketCheck.safeParse(content).data;
    if (request === undefined) return false;
    await checkSockets(deps, request);
    return true;
  }

  return createLeasedWorker(outbox, handle, {
    ...deps,
    queue: "socket-closures",
    handleDirect: check,
  });
}

/** Remove the push tokens of a removed device; it may have been registered again since, with new ones. Safe to repeat. */
async function removeTokensOfDevice(deps: Deps, { userId, removedDevice }: SocketClosure): Promise<void> {
  if (removedDevice === undefined) return;
  const { clientId, at } = removedDevice;
  await removePushTokens(
    { ...deps, outbox: deps.outgoing },
    userId,
    (token) => token.clientId === clientId && token.registeredAt <= at,
  );
}

/**
 * Check a user's sockets at the time when one of them was expected to end, and request another check if it stays open,
 * because its cookie was renewed or only its access token has expired. A request that arrives too early, because SQS
 * delays messages by at most 15 minutes, is repeated for as long as the socket is open.
 */
async function checkSockets(deps: Deps, check: SocketCheck): Promise<void> {
  const { checks, clock, sockets } = deps;
  const { checkedUserId: userId, socketId, notBefore } = check;
  if (notBefore > clock()) {
    const isOpen = socketId === undefined || (await sockets.reread({ userId, socketId })) !== undefined;
    if (isOpen) await checks.request(check);
    return;
  }
  const { open, sessions } = await closeDueSockets(deps, { userId });
  const socket = open.find((one) => one.socketId === socketId);
  if (socket === undefined) return;
  const end = endOf(socket, sessions, clock());
  const isOfRelay = relayOf(socket.socketId) !== undefined;
  // Relays close old sockets themselves.
  if (!isOfRelay || end !== socket.expiresAt) await checks.request({ ...check, notBefore: end });
}

/** The sockets of a user after some were closed. */
interface Remaining {
  readonly open: readonly Socket[];
  readonly sessions: Sessions;
}

/**
 * Close those sockets of a user that have ended or exceed the limit, and all of a removed device. Safe to repeat.
 * @throws AggregateError when some could not be closed; the others are closed nevertheless
 */
async function closeDueSockets(deps: Deps, { userId, removedDevice }: SocketClosure): Promise<Remaining> {
  const { clock, deviceQueues, sessions: sessionStore, settings, sockets } = deps;
  const [{ sockets: recorded }, sessions] = await Promise.all([
    sockets.ofUser(userId),
    sessionStore.get(userId),
  ]);
  const dead = await deadRelaysOf(deps, recorded);
  const isGone = ({ socketId }: Socket) => dead.has(relayOf(socketId));
  const open = recorded.filter((socket) => !isGone(socket));
  const isRemoved = ({ clientId, openedAt }: Socket) =>
    removedDevice !== undefined && clientId === removedDevice.clientId && openedAt <= removedDevice.at;
  const others = open.filter((socket) => !isRemoved(socket));
  const due = [...open.filter(isRemoved), ...socketsToClose(others, { sessions, settings, now: clock() })];
  const outcomes = await Promise.allSettled([
    ...due.map((socket) => close(deps, socket)),
    ...recorded.filter(isGone).map((socket) => deviceQueues.retire(socket)),
  ]);
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  if (errors.length > 0)
    throw new AggregateError(errors, "Not all sockets could be closed", { cause: errors[0] });
  return { open: open.filter((socket) => !due.includes(socket)), sessions };
}

/** Relays of a user's sockets that have died; nobody reports the end of their sockets. */
async function deadRelaysOf(
  { relays }: Deps,
  sockets: readonly Socket[],
): Promise<ReadonlySet<string | undefined>> {
  const relayIds = new Set(sockets.flatMap(({ socketId }) => relayOf(socketId) ?? []));
  const dead = await Promise.all(
    [...relayIds].map(async (relayId) => ((await relays.isAlive(relayId)) ? [] : [relayId])),
  );
  return new Set(dead.flat());
}

/** `$disconnect` then removes the record, but API Gateway does not always report it for a socket that vanished. */
async function close({ clock, deviceQueues, poster }: Deps, socket: Socket): Promise<void> {
  const { socketId, openedAt } = socket;
  const outcome = await poster.close(socketId);
  if (outcome === "closed") return;
  const isOpening = outcome === "gone" && clock() - openedAt < handshakeMilliseconds;
  if (outcome === "failed" || isOpening) throw new Error(`The socket ${socketId} could not be closed`);
  await deviceQueues.retire(socket);
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...socketParts,
    outbox: OutboxWorker,
    outgoing: Outbox,
    pushTokens: PushTokenStore,
    sessions: SessionStore,
  },
  (deps) => ({
    checks: new SocketChecks({ ...deps, sqs: new SQSClient(awsClientOptions()) }),
  }),
);
