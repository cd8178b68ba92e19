import { AccountInactiveError } from "#shared/accounts/account-errors.ts";
import { allocatedId, type DeviceKeys } from "#shared/conversations/legal-hold/allocated-device.ts";
import type { LockedDevice } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { announce, userLegalholdEnable } from "#shared/conversations/legal-hold/events.ts";
import { type Device, findDevice, legalHoldDeviceOf } from "#shared/devices/device.ts";
import { toNestedDeviceView } from "#shared/devices/device-view.ts";
import { userClientAdd } from "#shared/devices/events.ts";
import { deviceRemoval, readForRemoval } from "#shared/devices/remove-device.ts";
import { inPlaceOf } from "#shared/platform/data/unknown-fields.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { newCookie } from "#shared/sessions/cookies.ts";
import type { Cookie } from "#shared/sessions/session.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/**
 * Add an approved device with its cookie, replacing one that an unfinished approval has left. If that was the same
 * device, it keeps its unclaimed prekeys. The start of legal hold is announced only once.
 *
 * @throws ApiError `legalhold-no-device-allocated` when the user has the id for another device, `access-denied`
 * @throws ConflictError when the device is no longer locked by the same request
 */
export const addDevice = (
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
    const isReplaced = former !== undefined && !isThere;
    const others = Object.entries(devices.devices).filter(([, { type }]) => type !== "legalhold");
    const device: Device = inPlaceOf(isThere ? former : undefined, {
      clientId,
      type: "legalhold",
      class: "legalhold",
      capabilities: ["legalhold-implicit-consent"],
      mlsPublicKeys: {},
      registeredAt: isThere ? former.registeredAt : clock(),
    });
    const cookie = newCookie({ type: "persistent", clientId }, settings, clock());
    const effects = combine(
      {
        writes: [
          allocatedDevices.requireLocked(locked),
          accounts.requireActive(userId),
          deps.devices.put(devices, { ...Object.fromEntries(others), [clientId]: device }),
        ],
      },
      isReplaced ? await deviceRemoval(deps, { userId, device: former, ...state }) : undefined,
      isThere
        ? undefined
        : {
            writes: await prekeys.replaceAll(userId, clientId, keys.prekeys, keys.lastPrekey),
            messages: events.toSelf({ userId }, userClientAdd, { client: toNestedDeviceView(device) }),
          },
      { writes: [sessions.startLegalHold(userId, cookie)] },
      former === undefined
        ? { messages: announce(deps, membership, userLegalholdEnable, { id: userId }) }
        : undefined,
    );
    return { ...effects, result: { clientId, cookie } };
  }).catch(answer(AccountInactiveError, "access-denied"));
