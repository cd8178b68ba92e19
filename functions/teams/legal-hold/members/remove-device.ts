import { endMemberLegalHold } from "#shared/conversations/legal-hold/end-member-legal-hold.ts";
import { legalHoldDeviceOf } from "#shared/devices/device.ts";
import type { Deps } from "../deps.ts";

/**
 * Remove the legal hold device of a user, which ends legal hold, without telling the service.
 *
 * @see operation `i-remove-legal-hold-client`
 */
export async function removeDevice(deps: Deps, userId: string): Promise<void> {
  const [account, devices] = await Promise.all([deps.accounts.get(userId), deps.devices.get(userId)]);
  const teamId = account?.teamId;
  if (teamId === undefined || legalHoldDeviceOf(devices) === undefined) return;
  await endMemberLegalHold(deps, { teamId, userId }, { notifyService: async () => undefined });
}
