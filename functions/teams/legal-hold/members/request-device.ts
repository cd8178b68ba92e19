import { mlsSelfConversationId } from "#shared/conversations/derived-ids.ts";
import {
  type AllocatedDevice,
  allocatedId,
  type DeviceKeys,
} from "#shared/conversations/legal-hold/allocated-device.ts";
import type { LockedDevice } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { announce, userLegalholdRequest } from "#shared/conversations/legal-hold/events.ts";
import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import { changeStatus, readSubject, type Subject } from "#shared/conversations/legal-hold/subject.ts";
import { findDevice, TooManyPrekeysError } from "#shared/devices/device.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { chargeChange, whileLocked } from "./service-calls.ts";

/** The data on which a request depends, once checked. */
interface State {
  readonly admin: Member;
  readonly subject: Subject;
  readonly allocated: AllocatedDevice | undefined;
  readonly service: LegalHoldService | undefined;
}

/**
 * Have the legal hold service create a device for a member, who is asked to approve it. Of concurrent requests only one
 * asks the service, because the service knows only the last device that it created.
 *
 * @returns whether it is the first request; false when it replaces a device that was not approved yet
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @throws RateLimitedError
 * @throws ConflictError when another request, or an approval, is under way
 * @see operation `request-legal-hold-device`
 */
export async function requestDevice(deps: Deps, actor: Actor, membership: Membership): Promise<boolean> {
  const { legalHoldClient } = deps;
  const { userId } = membership;
  const { allocated, service } = await readAndCheck(deps, actor, membership);
  if (await isInMls(deps, userId)) throw new ApiError("mls-legal-hold-not-allowed");
  if (service === undefined) throw new ApiError("legalhold-not-registered");
  await chargeChange(deps, actor);
  return whileLocked(deps, { userId, allocated, refusal: "team-member-not-found" }, async (locked) => {
    const keys = await legalHoldClient.initiate(service, membership);
    await checkKeys(deps, userId, keys);
    return allocate(deps, actor, membership, { locked, keys });
  });
}

async function readAndCheck(deps: Deps, actor: Actor, membership: Membership): Promise<State> {
  const { allocatedDevices, legalHoldServices, settings, teams } = deps;
  const { teamId, userId } = membership;
  const [{ subject, team }, acting, allocated, service] = await Promise.all([
    readSubject(deps, membership),
    teams.getMember({ teamId, userId: actor.userId }),
    allocatedDevices.get(userId),
    legalHoldServices.get(teamId),
  ]);
  if (!hasFeature("legalhold", team, settings)) throw new ApiError("legalhold-not-enabled");
  const admin = checkMember(acting, { role: "admin" });
  if (subject === undefined) throw new ApiError("team-member-not-found");
  if (subject.status === "enabled") throw new ApiError("legalhold-already-enabled");
  if (subject.status === "no_consent") throw new ApiError("legalhold-no-consent");
  return { admin, subject, allocated, service };
}

/**
 * Check that the device can be added once approved, and replaces none of the user's own.
 * @throws ApiError `legalhold-status-bad`
 */
async function checkKeys({ devices, prekeys }: Deps, userId: string, keys: DeviceKeys): Promise<void> {
  const clientId = allocatedId(keys);
  const present = findDevice(await devices.get(userId), clientId);
  if (present !== undefined && present.type !== "legalhold") throw new ApiError("legalhold-status-bad");
  await prekeys
    .replaceAll(userId, clientId, keys.prekeys, keys.lastPrekey)
    .catch(answer(TooManyPrekeysError, "legalhold-status-bad"));
}

const allocate = (
  deps: Deps,
  actor: Actor,
  membership: Membership,
  { locked, keys }: { locked: LockedDevice; keys: DeviceKeys },
): Promise<boolean> =>
  change(deps, async () => {
    const { allocatedDevices, legalHoldServices, log, teams } = deps;
    const { teamId, userId } = membership;
    const { admin, subject, allocated, service } = await readAndCheck(deps, actor, membership);
    if (service === undefined) throw new ApiError("legalhold-not-registered");
    if (allocated?.version !== locked.version) throw new ApiError("concurrent-change");
    return {
      writes: [
        ...changeStatus(deps, subject, "pending"),
        allocatedDevices.release(locked, keys),
        legalHoldServices.requireInForce(teamId),
        ...(actor.userId === userId ? [] : [teams.requirePermissions(admin)]),
      ],
      messages: announce(deps, membership, userLegalholdRequest, {
        id: userId,
        last_prekey: keys.lastPrekey,
        client: { id: allocatedId(keys) },
      }),
      afterCommit: async () =>
        log.info("legal-hold-status-changed", { teamId, userId, status: "pending", by: actor.userId }),
      result: subject.status === "disabled",
    };
  });

/** Conversations read together. */
const pageSize = 500;

/**
 * Whether a user is in a conversation whose protocol rules out legal hold, other than the user's own self conversation.
 */
async function isInMls({ conversations }: Deps, userId: string): Promise<boolean> {
  let after: string | undefined;
  do {
    const entries = await conversations.listOfUser(userId, { after, limit: pageSize });
    const ids = entries.map(({ conversationId }) => conversationId);
    const others = ids.filter((id) => id !== mlsSelfConversationId(userId));
    const found = await Promise.all(others.map((id) => conversations.get(id)));
    if (found.some((one) => one !== undefined && one.protocol !== "proteus")) return true;
    after = entries.length < pageSize ? undefined : ids.at(-1);
  } while (after !== undefined);
  return false;
}
