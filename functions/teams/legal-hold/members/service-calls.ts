import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import type { AllocatedDevice } from "#shared/conversations/legal-hold/allocated-device.ts";
import type { LockedDevice } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { hasUnknownOutcome, StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";

/**
 * Charge a user for a change of legal hold, because each change calls a service.
 * @throws RateLimitedError
 */
export const chargeChange = ({ rateLimiter, settings }: Deps, { userId }: Pick<Actor, "userId">) =>
  rateLimiter.take(`legal-hold-changes#${userId}`, settings.legalHoldService.changeRateLimit);

/**
 * Lock the device of a member while the service is asked. A successful task has released it; after a failed one, it is
 * released unchanged.
 *
 * @param refusal error for a member whose account has been deleted
 * @throws ApiError `concurrent-change` when it is already locked
 * @throws ConflictError when another request was faster
 */
export async function whileLocked<Result>(
  deps: Deps,
  {
    userId,
    allocated,
    refusal,
  }: {
    userId: string;
    allocated: AllocatedDevice | undefined;
    refusal: "not-a-team-member" | "team-member-not-found";
  },
  task: (locked: LockedDevice) => Promise<Result>,
): Promise<Result> {
  const locked = await lock(deps, userId, allocated).catch(answer(AccountNotFoundError, refusal));
  try {
    return await task(locked);
  } catch (error) {
    await release(deps, locked);
    throw error;
  }
}

async function lock(
  deps: Deps,
  userId: string,
  allocated: AllocatedDevice | undefined,
): Promise<LockedDevice> {
  const { accounts, allocatedDevices, dynamo } = deps;
  if (allocatedDevices.isLocked(allocated)) throw new ApiError("concurrent-change");
  const { locked, write } = allocatedDevices.lock(userId, allocated);
  try {
    // A missing account explains more than a missing device.
    await transact(dynamo, [accounts.requireNotDeleted(userId), write]);
  } catch (error) {
    // Otherwise a repetition would wait for this request, which is over.
    if (hasUnknownOutcome(error)) await release(deps, locked);
    throw error;
  }
  return locked;
}

/** Release the device as it was, unless another request has changed it. */
async function release({ allocatedDevices, dynamo }: Deps, locked: LockedDevice): Promise<void> {
  try {
    await transact(dynamo, [allocatedDevices.release(locked, locked.keys)]);
  } catch (error) {
    if (!(error instanceof StaleReadError)) throw error;
  }
}
