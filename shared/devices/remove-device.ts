import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { EventPublisher } from "#shared/events/publisher.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import type { SocketStore } from "#shared/events/sockets/socket-store.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { withoutCookies } from "#shared/sessions/cookies.ts";
import type { Sessions } from "#shared/sessions/session.ts";
import type { SessionStore } from "#shared/sessions/session-store.ts";
import { type Device, type Devices, findDevice } from "./device.ts";
import type { DeviceStore } from "./device-store.ts";
import { userClientRemove } from "./events.ts";
import type { KeyPackageStore } from "./key-package-store.ts";
import type { PrekeyStore } from "./prekey-store.ts";

/** Uses the tables clients, accounts, sockets, key-packages and outbox (all write), and sends to `events` and
 * `socket-closures`. */
export interface RemovalDeps {
  readonly dynamo: DynamoDBDocumentClient;
  readonly devices: DeviceStore;
  readonly prekeys: PrekeyStore;
  readonly sessions: SessionStore;
  readonly sockets: SocketStore;
  readonly events: EventPublisher;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly keyPackages: KeyPackageStore;
}

/** A user's devices and cookies as they were read together. */
export interface RemovalState {
  readonly devices: Devices;
  readonly sessions: Sessions;
}

/**
 * Remove a device and everything that belongs to it: prekeys, queue of events, key packages, and the cookies that have
 * its label or are tied to it; its sockets close. The user's other devices get an event.
 *
 * @param request.origin the connection that requested the removal, if any
 * @param request.orders further messages of the same transaction
 * @param request.isOfDeletedUser whether nobody has to be told
 * @param known state that has just been read, which saves the first read
 * @throws ApiError `client-not-found`
 */
export async function removeDevice(
  deps: RemovalDeps,
  {
    userId,
    clientId,
    origin,
    orders = [],
    isOfDeletedUser = false,
  }: {
    userId: string;
    clientId: string;
    origin?: Actor;
    orders?: readonly OutboxMessage[];
    isOfDeletedUser?: boolean;
  },
  known?: RemovalState,
): Promise<void> {
  await change(deps, async (attempt) => {
    const { devices, sessions } = attempt === 1 && known ? known : await readForRemoval(deps, userId);
    const device = findDevice(devices, clientId);
    if (device === undefined) throw new ApiError("client-not-found");
    const { writes, messages } = await deviceRemoval(deps, {
      userId,
      device,
      sessions,
      origin,
      isOfDeletedUser,
    });
    const { [clientId]: _, ...others } = devices.devices;
    return {
      writes: [deps.devices.put(devices, others), ...writes],
      messages: [...messages, ...orders],
      // Key packages of a removed device are never handed out, so those left by a failure just expire.
      afterCommit: () => deps.keyPackages.removeAll(userId, clientId),
    };
  });
}

/** Reads the data on which the removal of devices depends. */
export async function readForRemoval(
  { devices, sessions }: Pick<RemovalDeps, "devices" | "sessions">,
  userId: string,
): Promise<RemovalState> {
  const [ownDevices, ownSessions] = await Promise.all([devices.get(userId), sessions.get(userId)]);
  return { devices: ownDevices, sessions: ownSessions };
}

/** Decides, without a read, the other writes of the transaction that removes a device from its user's list. */
export async function deviceRemoval(
  deps: Pick<RemovalDeps, "prekeys" | "sessions" | "sockets" | "outbox" | "clock"> & {
    readonly events: Pick<EventPublisher, "toSelf">;
  },
  {
    userId,
    device,
    sessions,
    origin,
    isOfDeletedUser = false,
  }: { userId: string; device: Device; sessions: Sessions; origin?: Actor; isOfDeletedUser?: boolean },
): Promise<Change> {
  const { clientId, cookieLabel } = device;
  const kept = withoutCookies(
    sessions,
    (cookie) => cookie.clientId === clientId || (cookieLabel !== undefined && cookie.label === cookieLabel),
  );
  return {
    writes: [
      ...(await deps.prekeys.removeAll(userId, clientId)),
      deps.sockets.queueRemoval(userId, clientId),
      // Replaced even when no cookie is removed, because one may be getting tied to the device just now. A user who
      // never had a session must not get a record here: it would have the wrong epoch.
      ...(sessions.revision === 0 ? [] : [deps.sessions.replace(sessions, kept)]),
    ],
    messages: [
      ...(isOfDeletedUser
        ? []
        : deps.events.toSelf(origin ?? { userId }, userClientRemove, { client: { id: clientId } })),
      closeSockets(deps.outbox, { userId, removedDevice: { clientId, at: deps.clock() } }),
    ],
  };
}
