import type { AllocatedDevice } from "#shared/conversations/legal-hold/allocated-device.ts";
import type { LockedDevice } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { hasUnknownOutcome, StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/**
 * Lock the device of a member while the service is asked.
 *
 * @throws ApiError `concurrent-change` when it is already locked
 * @throws AccountNotFoundError
 * @throws ConflictError when another request was faster
 */
export async function lockDevice(
  deps: Deps,
  userId: string,
  allocated: AllocatedDevice | undefined,
): Promise<LockedDevice> {
  const { accounts, allocatedDevices, dynamo } = deps;
  if (allocatedDevices.isLocked(allocated)) throw new ApiError("concurrent-change");
  const { locked, write } = allocatedDevices.lock(userId, allocated);
  try {
    // An account that is gone says more than that its device is gone, too.
    await transact(dynamo, [accounts.requireNotDeleted(userId), write]);
  } catch (error) {
    // Otherwise a repetition would wait for this request, which is over.
    if (hasUnknownOutcome(error)) await releaseDevice(deps, locked);
    throw error;
  }
  return locked;
}

/** Release the device as it was, unless another request has changed it. */
export async function releaseDevice({ allocatedDevices, dynamo }: Deps, locked: LockedDevice): Promise<void> {
  try {
    await transact(dynamo, [allocatedDevices.release(locked, locked.keys)]);
  } catch (error) {
    if (!(error instanceof StaleReadError)) throw error;
  }
}
