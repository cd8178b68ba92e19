import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { findDevice } from "#shared/devices/device.ts";
import { readForRemoval, removeDevice } from "#shared/devices/remove-device.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";

/**
 * Delete a device of the actor, who must give the password unless the device is temporary.
 *
 * @throws ApiError `client-not-found`, `legal-hold-device`, and those of `reauthenticate`
 * @see operation `delete-client`
 */
export async function deleteDevice(
  deps: Deps,
  actor: Actor,
  { clientId, password }: { clientId: string; password?: string },
): Promise<void> {
  const { accounts, passwordChecks } = deps;
  const { userId } = actor;
  const [account, state] = await Promise.all([accounts.get(userId), readForRemoval(deps, userId)]);
  const device = findDevice(state.devices, clientId);
  if (account === undefined || device === undefined) throw new ApiError("client-not-found");
  if (device.type === "legalhold") throw new ApiError("legal-hold-device");
  if (device.type !== "temporary") await reauthenticate(passwordChecks, account, password);
  const orders = [orderConversationJob(deps.outbox, { job: "remove-device", userId, clientId })];
  await removeDevice(deps, { userId, clientId, origin: actor, orders }, state);
}
