import type { LegalHoldStatus } from "#shared/accounts/legal-hold-status.ts";
import type { DeviceKeys } from "#shared/legal-hold/allocated-device.ts";
import { readSubject } from "#shared/legal-hold/read-subject.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/**
 * The legal hold status of a member, and the keys of the device that is requested or there.
 *
 * @throws ApiError `team-member-not-found`, `legalhold-internal`
 * @see operation `get-legal-hold`
 */
export async function getStatus(
  deps: Deps,
  membership: Membership,
): Promise<{ status: LegalHoldStatus; keys: DeviceKeys | undefined }> {
  const { allocatedDevices } = deps;
  const { userId } = membership;
  const { subject, items } = await readSubject(deps, membership, [
    { tableName: allocatedDevices.tableName, keys: allocatedDevices.keys(userId) },
  ]);
  if (subject === undefined) throw new ApiError("team-member-not-found");
  const { status } = subject;
  if (status !== "pending" && status !== "enabled") return { status, keys: undefined };
  const keys = allocatedDevices.deviceOf(userId, items)?.keys;
  if (keys === undefined) throw new ApiError("legalhold-internal");
  return { status, keys };
}
