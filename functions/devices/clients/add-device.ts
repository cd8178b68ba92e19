import { type Account, currentStatus, isActivated } from "#shared/accounts/account.ts";
import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { checkSecondFactor } from "#shared/accounts/second-factor/second-factor.ts";
import { chargeBytes } from "#shared/accounts/write-budget.ts";
import type { EmailMessage } from "#shared/codes/mail/message.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import {
  type Device,
  type Devices,
  findDevice,
  TooManyPrekeysError,
  wasJustRemoved,
} from "#shared/devices/device.ts";
import { toNestedDeviceView } from "#shared/devices/device-view.ts";
import { userClientAdd } from "#shared/devices/events.ts";
import { deviceIdOf } from "#shared/devices/prekey.ts";
import { deviceRemoval } from "#shared/devices/remove-device.ts";
import { streams } from "#shared/events/notification.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import { noSessions, type Sessions } from "#shared/sessions/session.ts";
import { checkKeys } from "./check-keys.ts";
import type { Deps } from "./deps.ts";
import { OwnEvents } from "./own-events.ts";
import type { NewDevice } from "./schemas.ts";

/** The data on which a registration depends. */
interface State {
  readonly account: Account;
  readonly devices: Devices;
  /** Only read for a temporary device. */
  readonly sessions: Sessions;
  readonly queue: Write[];
}

/**
 * Register a device of the actor. Its id is derived from its last-resort prekey: registering that prekey again resets
 * the device. A temporary device replaces the previous one.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 * @see operation `add-client`
 */
export async function addDevice(deps: Deps, actor: Actor, request: NewDevice): Promise<Device> {
  const { passwordChecks, settings } = deps;
  const { userId } = actor;
  if (request.type === "legalhold" || request.class === "legalhold") throw new ApiError("legal-hold-device");
  const clientId = deviceIdOf(request.lastkey);
  describeAudited({ target: { client: clientId } });
  let isReauthenticated = false;
  return change(deps, async (attempt) => {
    const state = await readState(deps, userId, clientId, request);
    const { account, devices } = state;
    if (findDevice(devices, clientId)?.type === "legalhold") throw new ApiError("legal-hold-device");
    // An account that is not activated has no address for a code, and no login to protect.
    if (attempt === 1 && isActivated(account)) {
      await checkSecondFactor(deps, account, { action: "login", candidate: request.verification_code });
    }
    if (!isReauthenticated && needsPassword(devices, clientId, request)) {
      await reauthenticate(passwordChecks, account, request.password);
      isReauthenticated = true;
    }
    checkLimit(devices, clientId, request, settings.setUserMaxPermClients);
    return registration(deps, actor, newDevice(deps, clientId, request), request, state);
  })
    .catch(answer(AccountNotFoundError, "not-found"))
    .catch(answer(TooManyPrekeysError, "bad-request", ({ message }) => ({ message })));
}

/** @throws ApiError `not-found` when the account is deleted */
async function readState(deps: Deps, userId: string, clientId: string, request: NewDevice): Promise<State> {
  const { accounts, clock, devices: deviceStore, sessions: sessionStore } = deps;
  const [account, devices, sessions, queue] = await Promise.all([
    accounts.get(userId),
    deviceStore.get(userId),
    request.type === "temporary" ? sessionStore.get(userId) : noSessions(userId),
    queueWrites(deps, userId, clientId, request.capabilities),
  ]);
  if (account === undefined || currentStatus(account, clock()) === "deleted") throw new ApiError("not-found");
  return { account, devices, sessions, queue };
}

const othersOf = ({ devices }: Devices, clientId: string) =>
  Object.values(devices).filter((device) => device.clientId !== clientId);

/** No password is needed for the first device of a type, nor to register a device again with the same type. */
function needsPassword(devices: Devices, clientId: string, { type }: NewDevice): boolean {
  const former = findDevice(devices, clientId);
  if (former !== undefined) return former.type !== type;
  return Object.values(devices.devices).some((other) => other.type === type);
}

function checkLimit(devices: Devices, clientId: string, { type }: NewDevice, maxPermanent: number): void {
  if (type !== "permanent") return;
  const others = othersOf(devices, clientId).filter((other) => other.type === "permanent");
  if (others.length >= maxPermanent) throw new ApiError("too-many-clients");
}

/** @throws ApiError `bad-request` for malformed keys */
function newDevice({ clock }: Deps, clientId: string, request: NewDevice): Device {
  const { mls_public_keys: mlsPublicKeys } = checkKeys(request);
  return {
    clientId,
    type: request.type,
    class: request.class,
    label: request.label,
    model: request.model,
    cookieLabel: request.cookie,
    capabilities: [...new Set(request.capabilities)],
    mlsPublicKeys,
    registeredAt: clock(),
  };
}

/**
 * Everything is in one transaction, except for key packages. Packages of removed devices are not given out. Earlier
 * packages of this device are removed before the commit, because they would be given out as its own afterwards.
 */
async function registration(
  deps: Deps,
  actor: Actor,
  device: Device,
  { prekeys, lastkey }: NewDevice,
  { account, devices, sessions, queue }: State,
): Promise<Change & { result: Device }> {
  const { accounts, keyPackages, outbox, sockets } = deps;
  const { userId } = actor;
  const { clientId } = device;
  const former = findDevice(devices, clientId);
  const others = othersOf(devices, clientId);
  const replaced = others.find(({ type }) => type === "temporary" && device.type === "temporary");
  const kept = others.filter((other) => other !== replaced);
  // Clients read the last notification immediately, and give up if there is none.
  const events = new OwnEvents(deps);
  // A client that finds its own removal after its registration logs out.
  const mayOvertakeRemoval = wasJustRemoved(devices, clientId, device.registeredAt);
  const removal =
    replaced &&
    (await deviceRemoval({ ...deps, events }, { userId, device: replaced, sessions, origin: actor }));

  const mails = others.length === 0 ? [] : newDeviceMails(account, device);
  await keyPackages.removeAll(userId, clientId);
  const isQueueLost = queue.length === 0 && former?.capabilities.includes("consumable-notifications");
  return {
    writes: [
      deps.devices.put(devices, Object.fromEntries([...kept, device].map((one) => [one.clientId, one]))),
      accounts.requireNotDeleted(userId),
      ...(removal?.writes ?? []),
      ...(await deps.prekeys.replaceAll(userId, clientId, prekeys, lastkey)),
      ...(isQueueLost ? [sockets.queueRemoval(userId, clientId)] : queue),
      ...chargeBytes(deps, account, Buffer.byteLength(JSON.stringify([prekeys, lastkey]))),
    ],
    messages: [
      ...(removal?.messages ?? []),
      ...(replaced === undefined
        ? []
        : [orderConversationJob(outbox, { job: "remove-device", userId, clientId: replaced.clientId })]),
      ...events.toSelf(actor, userClientAdd, { client: toNestedDeviceView(device) }),
      ...mails.map((mail) => outbox.message("mail", mail)),
    ],
    afterCommit: () =>
      Promise.all([
        !mayOvertakeRemoval && events.store(),
        // Once more, as key packages of the former registration may have been uploaded before the commit.
        ...[former, replaced].map((gone) => gone && keyPackages.removeAll(userId, gone.clientId)),
      ]),
    result: device,
  };
}

/** Tell the user of a new device, unless it is the first. */
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

/** Writes that create the queue of a device for `/events`, if its capabilities ask for one. */
export async function queueWrites(
  { notifications, sockets }: Deps,
  userId: string,
  clientId: string,
  capabilities: Device["capabilities"] = [],
): Promise<Write[]> {
  if (!capabilities.includes("consumable-notifications")) return [];
  const endOfStream = await notifications.endOf(streams.device(userId, clientId));
  return sockets.queueCreation(userId, clientId, endOfStream);
}
