import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { withoutCookies } from "../auth/cookies.ts";
import { retryStale, transact, type Write } from "../data/conditions.ts";
import { type Device, type Devices, findDevice } from "../data/device/device.ts";
import type { DeviceStore } from "../data/device/device-store.ts";
import type { PrekeyStore } from "../data/device/prekey-store.ts";
import type { KeyPackageStore } from "../data/key-package/key-package-store.ts";
import type { Sessions } from "../data/session/session.ts";
import type { SessionStore } from "../data/session/session-store.ts";
import type { SocketStore } from "../data/socket/socket-store.ts";
import { ApiError } from "../errors.ts";
import type { EventPublisher } from "../events/publisher.ts";
import { userClientRemove } from "../events/user-client-remove.ts";
import type { Actor } from "../http/route.ts";
import type { StagedMessage } from "../messaging/outbox.ts";

/** Of tables: clients, accounts, sockets, key-packages and outbox (all write); sends to `events`. */
export interface RemovalDeps {
  readonly client: DynamoDBDocumentClient;
  readonly devices: DeviceStore;
  readonly prekeys: PrekeyStore;
  readonly sessions: SessionStore;
  readonly sockets: SocketStore;
  readonly events: EventPublisher;
  readonly keyPackages: KeyPackageStore;
}

/** A user's devices and cookies as they were read together. */
export interface RemovalState {
  readonly devices: Devices;
  readonly sessions: Sessions;
}

/**
 * Remove a device with all that hangs on it: prekeys, queue of events, key packages, and the cookies that carry its
 * label or name it. The user's other devices learn of it.
 *
 * @param request.origin who asked for it, when somebody did
 * @param known state that has just been read, which saves the first read
 * @throws ApiError `client-not-found`
 */
export async function removeDevice(
  deps: RemovalDeps,
  { userId, clientId, origin }: { userId: string; clientId: string; origin?: Actor },
  known?: RemovalState,
): Promise<void> {
  const { client, keyPackages } = deps;
  const messages = await retryStale(async (attempt) => {
    const { devices, sessions } = attempt === 1 && known ? known : await readForRemoval(deps, userId);
    const device = findDevice(devices, clientId);
    if (device === undefined) throw new ApiError("client-not-found");
    const removal = await stageRemoval(deps, { userId, device, sessions, origin });
    const { [clientId]: _, ...others } = devices.devices;
    await transact(client, [deps.devices.put(devices, others), ...removal.writes]);
    return removal.messages;
  });
  await Promise.all([
    ...messages.map((message) => message.send()),
    // Nobody is given key packages of a device that is gone: those that stay behind when this fails expire.
    keyPackages.removeAll(userId, clientId),
  ]);
}

export async function readForRemoval(
  { devices, sessions }: Pick<RemovalDeps, "devices" | "sessions">,
  userId: string,
): Promise<RemovalState> {
  const [ownDevices, ownSessions] = await Promise.all([devices.get(userId), sessions.get(userId)]);
  return { devices: ownDevices, sessions: ownSessions };
}

/** What joins the transaction that takes a device out of its user's list. No read. */
export async function stageRemoval(
  deps: RemovalDeps,
  {
    userId,
    device,
    sessions,
    origin,
  }: { userId: string; device: Device; sessions: Sessions; origin?: Actor },
): Promise<{ writes: Write[]; messages: StagedMessage[] }> {
  const { clientId, cookieLabel } = device;
  const kept = withoutCookies(
    sessions,
    (cookie) => cookie.clientId === clientId || (cookieLabel !== undefined && cookie.label === cookieLabel),
  );
  const messages = deps.events.stage(
    userClientRemove,
    { client: { id: clientId } },
    { sender: userId, recipients: [{ userId }], origin },
  );
  return {
    writes: [
      ...(await deps.prekeys.removeAll(userId, clientId)),
      deps.sockets.queueRemoval(userId, clientId),
      // Also when none goes: one may be tied to the device at this moment. Who has none at all must get no record, which
      // would know nothing of the account's epoch.
      ...(sessions.revision === 0 ? [] : [deps.sessions.replace(sessions, kept)]),
      ...messages.map(({ write }) => write),
    ],
    messages,
  };
}
