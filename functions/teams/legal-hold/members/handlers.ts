import { confirmPassword } from "#shared/accounts/credentials/reauthenticate.ts";
import { isOngoing, type LegalHoldStatus } from "#shared/accounts/legal-hold-status.ts";
import { allocatedId, type DeviceKeys } from "#shared/conversations/legal-hold/allocated-device.ts";
import { endMemberLegalHold } from "#shared/conversations/legal-hold/end-member-legal-hold.ts";
import { announce, userLegalholdRequest } from "#shared/conversations/legal-hold/events.ts";
import { settleLegalHold } from "#shared/conversations/legal-hold/settle.ts";
import { changeStatus, readSubject } from "#shared/conversations/legal-hold/subject.ts";
import { legalHoldDeviceOf } from "#shared/devices/device.ts";
import { deviceIdOf, type Prekey } from "#shared/devices/prekey.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { approveDevice } from "./approve-device.ts";
import { requestDevice } from "./request-device.ts";
import type { routes } from "./routes.ts";
import { chargeChange } from "./service-calls.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-legal-hold": async ({ params }) => {
      const { status, keys } = await getStatus(deps, { teamId: params.tid, userId: params.uid });
      const device = keys && { last_prekey: keys.lastPrekey, client: { id: allocatedId(keys) } };
      return { body: { status, ...device } };
    },

    "consent-to-legal-hold": async ({ actor, params }) => {
      const isNew = await giveConsent(deps, { teamId: params.tid, userId: actor.userId });
      return { status: isNew ? 201 : 204 };
    },

    "request-legal-hold-device": async ({ actor, params }) => {
      const isFirst = await requestDevice(deps, actor, { teamId: params.tid, userId: params.uid });
      return { status: isFirst ? 201 : 204 };
    },

    "approve-legal-hold-device": async ({ actor, params, body: { password } }) => {
      const membership = { teamId: params.tid, userId: params.uid };
      await approveDevice(deps, actor, { ...membership, password });
      await settleNow(deps, membership);
      return {};
    },

    "disable-legal-hold-for-user": async ({ actor, params, body: { password } }) => {
      const membership = { teamId: params.tid, userId: params.uid };
      const hasEnded = await endLegalHold(deps, actor, { ...membership, password });
      if (hasEnded) await settleNow(deps, membership);
      return { status: hasEnded ? 200 : 204 };
    },

    "i-request-legal-hold-client": async ({ params, body }) => {
      await announceRequest(deps, params.uid, body.last_prekey);
      return {};
    },

    "i-remove-legal-hold-client": async ({ params }) => {
      await removeDevice(deps, params.uid);
      return {};
    },
  };
}

/**
 * Announce that a legal hold device awaits a user's approval.
 *
 * @see operation `i-request-legal-hold-client`
 */
async function announceRequest(deps: Deps, userId: string, lastPrekey: Prekey): Promise<void> {
  const teamId = (await deps.accounts.get(userId))?.teamId;
  const content = { id: userId, last_prekey: lastPrekey, client: { id: deviceIdOf(lastPrekey) } };
  await change(deps, async () => ({
    messages: announce(deps, { teamId, userId }, userLegalholdRequest, content),
  }));
}

/**
 * End legal hold of a member, or withdraw the request for it, as an admin.
 *
 * @returns false when there was nothing to end
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @throws RateLimitedError
 * @see operation `disable-legal-hold-for-user`
 */
async function endLegalHold(
  deps: Deps,
  actor: Actor,
  { password, ...membership }: Membership & { readonly password?: string | undefined },
): Promise<boolean> {
  const { accounts, legalHoldClient, legalHoldServices, passwordChecks, teams } = deps;
  const { teamId } = membership;
  const [{ subject }, acting, account] = await Promise.all([
    readSubject(deps, membership),
    teams.getMember({ teamId, userId: actor.userId }),
    accounts.get(actor.userId),
  ]);
  checkMember(acting, { role: "admin" });
  if (!isOngoing(subject?.status)) return false;
  if (account === undefined) throw new ApiError("access-denied");
  await confirmPassword(passwordChecks, account, password);
  await chargeChange(deps, actor);
  const notifyService = async () => {
    const service = await legalHoldServices.get(teamId);
    if (service === undefined) throw new ApiError("legalhold-not-registered");
    await legalHoldClient.remove(service, membership);
  };
  return endMemberLegalHold(deps, membership, { notifyService, by: actor.userId });
}

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
async function getStatus(deps: Deps, membership: Membership): Promise<ShownStatus> {
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

/**
 * Consent to legal hold. A job restores what the lack of consent had blocked.
 *
 * @returns false when the member had consented before
 * @throws ApiError `team-member-not-found`
 * @see operation `consent-to-legal-hold`
 */
const giveConsent = (deps: Deps, { teamId, userId }: Membership): Promise<boolean> =>
  change(deps, async () => {
    const { subject } = await readSubject(deps, { teamId, userId });
    if (subject === undefined) throw new ApiError("team-member-not-found");
    if (subject.status !== "no_consent") return { result: false };
    return {
      writes: changeStatus(deps, subject, "disabled"),
      messages: [orderTeamJob(deps.outbox, { job: "settle-legal-hold", teamId, userId })],
      afterCommit: async () =>
        deps.log.info("legal-hold-status-changed", { teamId, userId, status: "disabled", by: userId }),
      result: true,
    };
  });

/**
 * Remove the legal hold device of a user, which ends legal hold, without telling the service.
 *
 * @see operation `i-remove-legal-hold-client`
 */
async function removeDevice(deps: Deps, userId: string): Promise<void> {
  const [account, devices] = await Promise.all([deps.accounts.get(userId), deps.devices.get(userId)]);
  const teamId = account?.teamId;
  if (teamId === undefined || legalHoldDeviceOf(devices) === undefined) return;
  await endMemberLegalHold(deps, { teamId, userId }, { notifyService: async () => undefined });
}

/** How long a request spends on this; the job enqueued with each change of status does the rest. */
const requestMilliseconds = 2000;

/** Bring connections and groups in line with a member's new status, as far as time allows. */
async function settleNow(deps: Deps, membership: Membership): Promise<void> {
  const stopAt = deps.clock() + requestMilliseconds;
  try {
    await settleLegalHold(deps, membership, () => deps.clock() >= stopAt);
  } catch (error) {
    deps.log.warn("legal-hold-not-settled", { ...membership, error: error as Error });
  }
}
