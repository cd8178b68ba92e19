import type { AllocatedDevice } from "#shared/conversations/legal-hold/allocated-device.ts";
import type { HeldDevice } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { hasUnknownOutcome, StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/**
 * Hold the device of a member exclusively while the service is asked.
 *
 * @throws ApiError `concurrent-change` when it is held already
 * @throws AccountNotFoundError
 * @throws ConflictError when another request was faster
 */
export async function holdDevice(
  deps: Deps,
  userId: string,
  allocated: AllocatedDevice | undefined,
): Promise<HeldDevice> {
  const { accounts, allocatedDevices, dynamo } = deps;
  if (allocatedDevices.isHeld(allocated)) throw new ApiError("concurrent-change");
  const { held, write } = allocatedDevices.hold(userId, allocated);
  try {
    // An account that is gone says more than that its device is gone, too.
    await transact(dynamo, [accounts.requireNotDeleted(userId), write]);
  } catch (error) {
    // Otherwise a repetition would wait for this request, which is over.
    if (hasUnknownOutcome(error)) await releaseDevice(deps, held);
    throw error;
  }
  return held;
}

/** Release the device as it was, unless another request has changed it. */
export async function releaseDevice({ allocatedDevices, dynamo }: Deps, held: HeldDevice): Promise<void> {
  try {
    await transact(dynamo, [allocatedDevices.release(held, held.keys)]);
  } catch (error) {
    if (!(error instanceof StaleReadError)) throw error;
  }
}
