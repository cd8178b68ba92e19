import { AccountInactiveError, AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { confirmPassword } from "#shared/accounts/credentials/confirm-password.ts";
import {
  type AllocatedDevice,
  allocatedId,
  type DeviceKeys,
} from "#shared/conversations/legal-hold/allocated-device.ts";
import type { LockedDevice } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { announce } from "#shared/conversations/legal-hold/announce.ts";
import { changeStatus, type Subject } from "#shared/conversations/legal-hold/change-status.ts";
import { userLegalholdEnable } from "#shared/conversations/legal-hold/events.ts";
import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import { readSubject } from "#shared/conversations/legal-hold/read-subject.ts";
import { type Device, findDevice, legalHoldDeviceOf } from "#shared/devices/device.ts";
import { DeviceNotFoundError } from "#shared/devices/device-errors.ts";
import { toNestedDeviceView } from "#shared/devices/device-view.ts";
import { userClientAdd } from "#shared/devices/events.ts";
import { deviceRemoval, readForRemoval } from "#shared/devices/remove-device.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { newCookie } from "#shared/sessions/cookies.ts";
import type { Cookie } from "#shared/sessions/session.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { chargeChange } from "./charge-change.ts";
import { lockDevice, releaseDevice } from "./lock-device.ts";

/** What an approval depends on. */
interface State {
  readonly subject: Subject;
  readonly allocated: AllocatedDevice | undefined;
  readonly service: LegalHoldService | undefined;
}

/**
 * Approve the device that an admin has requested: the device is added, then the service is told and given its cookie,
 * then the status changes. If that stops half-way, the request stays pending, and another approval replaces the device.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @throws RateLimitedError
 * @throws ConflictError when a request, or another approval, is under way
 * @see operation `approve-legal-hold-device`
 */
export async function approveDevice(
  deps: Deps,
  actor: Actor,
  { password, ...membership }: Membership & { readonly password?: string | undefined },
): Promise<void> {
  const { userId } = membership;
  const { subject, allocated, service } = await read(deps, membership, actor);
  await confirmPassword(deps.passwordChecks, subject.account, password);
  const keys = checkPending(subject, allocated);
  if (service === undefined) throw new ApiError("legalhold-not-registered");
  await chargeChange(deps, actor);
  const locked = await lockDevice(deps, userId, allocated).catch(
    answer(AccountNotFoundError, "not-a-team-member"),
  );
  try {
    const { clientId, cookie } = await addDevice(deps, membership, { locked, keys });
    const refreshToken = await deps.tokens.cookieToken({
      userId,
      cookieId: cookie.id,
      isSession: false,
      isLegalHold: true,
      expiresAtSeconds: toSeconds(cookie.expiresAt),
      clientId,
    });
    await deps.legalHoldClient.confirm(service, { ...membership, clientId, refreshToken });
    await enable(deps, membership, { locked, clientId }).catch(async (error) => {
      if (isRequestGone(error)) await notifyOfEnd(deps, membership, service);
      throw error;
    });
  } catch (error) {
    await releaseDevice(deps, locked);
    throw error;
  }
}

async function read(deps: Deps, membership: Membership, actor: Actor): Promise<State> {
  const { allocatedDevices, legalHoldServices, settings } = deps;
  const { teamId, userId } = membership;
  const [{ subject, team }, allocated, service] = await Promise.all([
    readSubject(deps, membership),
    allocatedDevices.get(userId),
    legalHoldServices.get(teamId),
  ]);
  if (!hasFeature("legalhold", team, settings)) throw new ApiError("legalhold-not-enabled");
  if (actor.userId !== userId) throw new ApiError("access-denied");
  if (subject === undefined) throw new ApiError("not-a-team-member");
  return { subject, allocated, service };
}

function checkPending({ status }: Subject, allocated: AllocatedDevice | undefined): DeviceKeys {
  if (status === "enabled") throw new ApiError("legalhold-already-enabled");
  if (status !== "pending") throw new ApiError("legalhold-not-pending");
  if (allocated?.keys === undefined) throw new ApiError("legalhold-no-device-allocated");
  return allocated.keys;
}

/**
 * Adds the device with its cookie, replacing one that an unfinished approval has left. If that was the same device, it
 * keeps its unclaimed prekeys. The start of legal hold is announced only once.
 */
const addDevice = (
  deps: Deps,
  membership: Membership,
  { locked, keys }: { locked: LockedDevice; keys: DeviceKeys },
): Promise<{ clientId: string; cookie: Cookie }> =>
  change(deps, async () => {
    const { accounts, allocatedDevices, clock, events, prekeys, sessions, settings } = deps;
    const { userId } = membership;
    const clientId = allocatedId(keys);
    const state = await readForRemoval(deps, userId);
    const { devices } = state;
    const present = findDevice(devices, clientId);
    if (present !== undefined && present.type !== "legalhold")
      throw new ApiError("legalhold-no-device-allocated");
    const former = legalHoldDeviceOf(devices);
    const isThere = former?.clientId === clientId;
    const removal =
      former === undefined || isThere
        ? undefined
        : await deviceRemoval(deps, { userId, device: former, ...state });
    const others = Object.entries(devices.devices).filter(([, { type }]) => type !== "legalhold");
    const device: Device = {
      clientId,
      type: "legalhold",
      class: "legalhold",
      capabilities: ["legalhold-implicit-consent"],
      mlsPublicKeys: {},
      registeredAt: isThere ? former.registeredAt : clock(),
    };
    const cookie = newCookie({ type: "persistent", clientId }, settings, clock());
    return {
      writes: [
        allocatedDevices.requireLocked(locked),
        accounts.requireActive(userId),
        deps.devices.put(devices, { ...Object.fromEntries(others), [clientId]: device }),
        ...(removal?.writes ?? []),
        ...(isThere ? [] : await prekeys.replaceAll(userId, clientId, keys.prekeys, keys.lastPrekey)),
        sessions.startLegalHold(userId, cookie),
      ],
      messages: [
        ...(removal?.messages ?? []),
        ...(isThere ? [] : events.toSelf({ userId }, userClientAdd, { client: toNestedDeviceView(device) })),
        ...(former === undefined ? announce(deps, membership, userLegalholdEnable, { id: userId }) : []),
      ],
      result: { clientId, cookie },
    };
  }).catch(answer(AccountInactiveError, "access-denied"));

/**
 * Changes the status once the service has been told, unless legal hold has been ended or requested anew meanwhile. The
 * device must still exist: ending legal hold when the service cannot be told removes only the device.
 *
 * @throws ApiError `concurrent-change` while a request exists; otherwise those of `read`
 */
async function enable(
  deps: Deps,
  membership: Membership,
  { locked, clientId }: { locked: LockedDevice; clientId: string },
): Promise<void> {
  const { allocatedDevices, devices, legalHoldServices, log, outbox } = deps;
  const { teamId, userId } = membership;
  await change(deps, async () => {
    const { subject, allocated, service } = await read(deps, membership, { userId });
    if (subject.status !== "pending") throw new ApiError("legalhold-not-pending");
    if (allocated?.version !== locked.version) throw new ApiError("concurrent-change");
    if (service === undefined) throw new ApiError("legalhold-not-registered");
    return {
      writes: [
        ...changeStatus(deps, subject, "enabled"),
        allocatedDevices.release(locked, locked.keys),
        devices.require(userId, clientId),
        legalHoldServices.requireInForce(teamId),
      ],
      messages: [orderTeamJob(outbox, { job: "settle-legal-hold", teamId, userId })],
      afterCommit: async () =>
        log.info("legal-hold-status-changed", { teamId, userId, status: "enabled", by: userId }),
    };
  }).catch(answer(DeviceNotFoundError, "concurrent-change"));
}

/** Whether the request is gone, so that approving again would not help. */
const isRequestGone = (error: unknown) => error instanceof ApiError && error.error !== "concurrent-change";

/** Whoever ended legal hold told the service either before it heard of the approval, or not at all. */
async function notifyOfEnd(
  { legalHoldClient, log }: Deps,
  membership: Membership,
  service: LegalHoldService,
): Promise<void> {
  try {
    await legalHoldClient.remove(service, membership);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    log.warn("legal-hold-service-not-told", { ...membership });
  }
}
