import { isOngoing, type LegalHoldStatus } from "#shared/accounts/legal-hold-status.ts";
import type { DeviceKeys } from "#shared/conversations/legal-hold/allocated-device.ts";
import { readSubject } from "#shared/conversations/legal-hold/subject.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

interface ShownStatus {
  readonly status: LegalHoldStatus;
  /** Id of the requested or present device. */
  readonly keys: DeviceKeys | undefined;
}

/**
 * Get the legal hold status of a member, and the keys of the requested or present device.
 *
 * @throws ApiError `team-member-not-found`, `legalhold-internal`
 * @see operation `get-legal-hold`
 */
export async function getStatus(deps: Deps, membership: Membership): Promise<ShownStatus> {
  const first = await readStatus(deps, membership);
  // A batch read is not a snapshot, so read again when a change may have overlapped.
  const found = lacksDevice(first) ? await readStatus(deps, membership) : first;
  if (lacksDevice(found)) throw new ApiError("legalhold-internal");
  return isOngoing(found.status) ? found : { status: found.status, keys: undefined };
}

async function readStatus(deps: Deps, membership: Membership): Promise<ShownStatus> {
  const [{ subject }, allocated] = await Promise.all([
    readSubject(deps, membership),
    deps.allocatedDevices.get(membership.userId),
  ]);
  if (subject === undefined) throw new ApiError("team-member-not-found");
  return { status: subject.status, keys: allocated?.keys };
}

const lacksDevice = ({ status, keys }: ShownStatus) => isOngoing(status) && keys === undefined;
