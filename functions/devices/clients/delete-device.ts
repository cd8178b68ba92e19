import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { type Device, findDevice } from "#shared/devices/device.ts";
import { type RemovalState, readForRemoval, removeDevice } from "#shared/devices/remove-device.ts";
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
  if (account === undefined) throw new ApiError("client-not-found");
  const { type } = deletable(state, clientId);
  if (type !== "temporary") await reauthenticate(passwordChecks, account, password);
  await removeDevice(
    deps,
    { userId, clientId, origin: actor, orders: ordersFor(deps, userId, clientId) },
    state,
  );
}

/**
 * Delete a device of a user on behalf of an operator.
 *
 * @throws ApiError `client-not-found`, `legal-hold-device`
 * @see operation `i-delete-client`
 */
export async function deleteDeviceOf(deps: Deps, userId: string, clientId: string): Promise<void> {
  // The account tells the audit trail the user's team.
  const [state] = await Promise.all([readForRemoval(deps, userId), deps.accounts.get(userId)]);
  deletable(state, clientId);
  await removeDevice(deps, { userId, clientId, orders: ordersFor(deps, userId, clientId) }, state);
}

function deletable({ devices }: RemovalState, clientId: string): Device {
  const device = findDevice(devices, clientId);
  if (device === undefined) throw new ApiError("client-not-found");
  if (device.type === "legalhold") throw new ApiError("legal-hold-device");
  return device;
}

const ordersFor = ({ outbox }: Deps, userId: string, clientId: string) => [
  orderConversationJob(outbox, { job: "remove-device", userId, clientId }),
];
