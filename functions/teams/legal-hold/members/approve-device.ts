import { confirmPassword } from "#shared/accounts/credentials/reauthenticate.ts";
import type { AllocatedDevice, DeviceKeys } from "#shared/conversations/legal-hold/allocated-device.ts";
import type { LockedDevice } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import { changeStatus, readSubject, type Subject } from "#shared/conversations/legal-hold/subject.ts";
import { DeviceNotFoundError } from "#shared/devices/device.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { addDevice } from "./add-device.ts";
import { chargeChange, whileLocked } from "./service-calls.ts";

/** The data on which an approval depends. */
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
  const { legalHoldClient, passwordChecks, tokens } = deps;
  const { userId } = membership;
  const { subject, allocated, service } = await readAndCheck(deps, membership, actor);
  await confirmPassword(passwordChecks, subject.account, password);
  const keys = checkPending(subject, allocated);
  if (service === undefined) throw new ApiError("legalhold-not-registered");
  await chargeChange(deps, actor);
  await whileLocked(deps, { userId, allocated, refusal: "not-a-team-member" }, async (locked) => {
    const { clientId, cookie } = await addDevice(deps, membership, { locked, keys });
    const refreshToken = await tokens.cookieToken({
      userId,
      cookieId: cookie.id,
      isSession: false,
      isLegalHold: true,
      expiresAtSeconds: toSeconds(cookie.expiresAt),
      clientId,
    });
    await legalHoldClient.confirm(service, { ...membership, clientId, refreshToken });
    await enable(deps, membership, { locked, clientId }).catch(async (error) => {
      if (isRequestGone(error)) await notifyOfEnd(deps, membership, service);
      throw error;
    });
  });
}

async function readAndCheck(deps: Deps, membership: Membership, actor: Actor): Promise<State> {
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
 * Changes the status once the service has been told, unless legal hold has been ended or requested again meanwhile. The
 * device must still exist: ending legal hold when the service cannot be told removes only the device.
 *
 * @throws ApiError `concurrent-change` while a request exists; otherwise those of `readAndCheck`
 */
async function enable(
  deps: Deps,
  membership: Membership,
  { locked, clientId }: { locked: LockedDevice; clientId: string },
): Promise<void> {
  const { allocatedDevices, devices, legalHoldServices, log, outbox } = deps;
  const { teamId, userId } = membership;
  await change(deps, async () => {
    const { subject, allocated, service } = await readAndCheck(deps, membership, { userId });
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

/** Whether the request no longer exists, so that approving again would not help. */
const isRequestGone = (error: unknown) => error instanceof ApiError && error.error !== "concurrent-change";

/** The end of legal hold was reported to the service before the approval, or not at all. */
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
