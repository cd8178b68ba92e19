import { reauthenticate } from "#shared/auth/reauthenticate.ts";
import { checkSecondFactor } from "#shared/auth/second-factor.ts";
import { type Account, currentStatus } from "#shared/data/account/account.ts";
import { retryStale, transact, type Write } from "#shared/data/conditions.ts";
import { type Device, type Devices, findDevice } from "#shared/data/device/device.ts";
import { clientIdOf } from "#shared/data/device/prekey.ts";
import { noSessions, type Sessions } from "#shared/data/session/session.ts";
import { stageRemoval } from "#shared/devices/remove-device.ts";
import { ApiError } from "#shared/errors.ts";
import { userClientAdd } from "#shared/events/user-client-add.ts";
import type { Actor } from "#shared/http/route.ts";
import type { EmailMessage } from "#shared/mail/message.ts";
import { toNestedClientView } from "#shared/schemas/client.ts";
import { checkKeys } from "./check-keys.ts";
import type { Deps } from "./deps.ts";
import type { NewClient } from "./schemas.ts";
import { stageQueue } from "./stage-queue.ts";

/** What a registration rests on. */
interface State {
  readonly account: Account;
  readonly devices: Devices;
  /** Read for a temporary device only. */
  readonly sessions: Sessions;
  readonly queue: Write[];
}

/**
 * Register a device of the actor. Its id derives from its last-resort prekey: who registers that again starts the same
 * device anew. A temporary device takes the place of the one before.
 *
 * @throws ApiError as the route lists, in the order of spec heading Registration
 * @see operation `add-client`
 */
export async function addClient(deps: Deps, actor: Actor, wish: NewClient): Promise<Device> {
  const { passwordChecks, settings } = deps;
  const { userId } = actor;
  if (wish.type === "legalhold") throw new ApiError("legal-hold-device");
  const clientId = clientIdOf(wish.lastkey);
  let isReauthenticated = false;
  return retryStale(async (attempt) => {
    const state = await readState(deps, userId, clientId, wish);
    const { account, devices } = state;
    if (findDevice(devices, clientId)?.type === "legalhold") throw new ApiError("legal-hold-device");
    // Codes are sent by e-mail only.
    if (attempt === 1 && account.email !== undefined) {
      await checkSecondFactor(deps, { userId, action: "login", candidate: wish.verification_code });
    }
    if (!isReauthenticated && needsPassword(devices, clientId, wish)) {
      await reauthenticate(passwordChecks, account, wish.password);
      isReauthenticated = true;
    }
    checkLimit(devices, clientId, wish, settings.setUserMaxPermClients);
    return commit(deps, actor, newDevice(deps, clientId, wish), wish, state);
  });
}

/** @throws ApiError `not-found` when the account has been deleted */
async function readState(deps: Deps, userId: string, clientId: string, wish: NewClient): Promise<State> {
  const { accounts, clock, devices: deviceStore, sessions: sessionStore } = deps;
  const [account, devices, sessions, queue] = await Promise.all([
    accounts.get(userId),
    deviceStore.get(userId),
    wish.type === "temporary" ? sessionStore.get(userId) : noSessions(userId),
    stageQueue(deps, userId, clientId, wish.capabilities),
  ]);
  if (account === undefined || currentStatus(account, clock()) === "deleted") throw new ApiError("not-found");
  return { account, devices, sessions, queue };
}

const othersOf = ({ devices }: Devices, clientId: string) =>
  Object.values(devices).filter((device) => device.clientId !== clientId);

/** The first device of a type needs none, and neither does the same device again, unless it changes its type. */
function needsPassword(devices: Devices, clientId: string, { type }: NewClient): boolean {
  const former = findDevice(devices, clientId);
  if (former !== undefined) return former.type !== type;
  return Object.values(devices.devices).some((other) => other.type === type);
}

function checkLimit(devices: Devices, clientId: string, { type }: NewClient, maxPermanent: number): void {
  if (type !== "permanent") return;
  const others = othersOf(devices, clientId).filter((other) => other.type === "permanent");
  if (others.length >= maxPermanent) throw new ApiError("too-many-clients");
}

/** @throws ApiError `bad-request` for keys that are none */
function newDevice({ clock }: Deps, clientId: string, wish: NewClient): Device {
  const { mls_public_keys: mlsPublicKeys } = checkKeys(wish);
  return {
    clientId,
    type: wish.type,
    class: wish.class,
    label: wish.label,
    model: wish.model,
    cookieLabel: wish.cookie,
    capabilities: [...new Set(wish.capabilities)],
    mlsPublicKeys,
    registeredAt: clock(),
  };
}

/**
 * All in one transaction, but for key packages. Those of devices that are gone nobody is given any more. Those that the
 * device had before go first, also when an earlier removal left them: afterwards they would be given away as its own.
 */
async function commit(
  deps: Deps,
  actor: Actor,
  device: Device,
  { prekeys, lastkey }: NewClient,
  { account, devices, sessions, queue }: State,
): Promise<Device> {
  const { accounts, client, events, keyPackages, outbox, sockets } = deps;
  const { userId } = actor;
  const { clientId } = device;
  const former = findDevice(devices, clientId);
  const others = othersOf(devices, clientId);
  const replaced = others.find(({ type }) => type === "temporary" && device.type === "temporary");
  const kept = others.filter((other) => other !== replaced);
  const removal =
    replaced && (await stageRemoval(deps, { userId, device: replaced, sessions, origin: actor }));

  const to = { sender: userId, recipients: [{ userId }], origin: actor };
  const messages = [
    ...events.stage(userClientAdd, { client: toNestedClientView(device) }, to),
    ...(others.length === 0 ? [] : newDeviceMails(account, device).map((mail) => outbox.stage("mail", mail))),
  ];
  await keyPackages.removeAll(userId, clientId);
  const isQueueLost = queue.length === 0 && former?.capabilities.includes("consumable-notifications");
  await transact(client, [
    deps.devices.put(devices, Object.fromEntries([...kept, device].map((one) => [one.clientId, one]))),
    accounts.requireNotDeleted(userId),
    ...(removal?.writes ?? []),
    ...(await deps.prekeys.replaceAll(userId, clientId, prekeys, lastkey)),
    ...(isQueueLost ? [sockets.queueRemoval(userId, clientId)] : queue),
    ...messages.map(({ write }) => write),
  ]);
  await Promise.all([
    ...[...(removal?.messages ?? []), ...messages].map((message) => message.send()),
    // Of the former registration once more: an upload may have come before the commit.
    ...[former, replaced].map((gone) => gone && keyPackages.removeAll(userId, gone.clientId)),
  ]);
  return device;
}

/** Tells the user of a device beside the others. */
const newDeviceMails = ({ email, locale }: Account, device: Device): EmailMessage[] =>
  email === undefined
    ? []
    : [
        {
          template: "new-device",
          to: email,
          locale,
          device: { label: device.label, model: device.model },
          addedAt: new Date(device.registeredAt).toISOString(),
        },
      ];
