import { isOngoing } from "#shared/accounts/legal-hold-status.ts";
import { legalHoldDeviceOf } from "#shared/devices/device.ts";
import {
  deviceRemoval,
  type RemovalDeps,
  type RemovalState,
  readForRemoval,
} from "#shared/devices/remove-device.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { Log } from "#shared/platform/log.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { AllocatedDeviceStore } from "./allocated-device-store.ts";
import { announce, userLegalholdDisable } from "./events.ts";
import { changeStatus, readSubject, type SubjectDeps } from "./subject.ts";

/** Uses the tables accounts, clients, outbox, sockets and teams (all write), and sends to `events`, `socket-closures` and
 * `team-jobs`. */
export type EndDeps = SubjectDeps &
  Omit<RemovalDeps, "keyPackages"> & { readonly allocatedDevices: AllocatedDeviceStore; readonly log: Log };

interface EndOptions {
  /** Tells the team's service before anything changes; its error is passed on to the caller. */
  readonly notifyService: () => Promise<void>;
  /** Further conditions. */
  readonly conditions?: readonly Write[];
  /** Id of the admin who ends it, if an admin does. */
  readonly by?: string;
}

/**
 * End a member's legal hold, or withdraw the request for it: device, cookies and status are removed together, and a job
 * settles connections and groups. If the service cannot be told, the device is removed but the status stays, so that a
 * repetition tells it.
 *
 * @returns whether legal hold has ended now; false when there was none
 */
export async function endMemberLegalHold(
  deps: EndDeps,
  membership: Membership,
  { notifyService, conditions = [], by }: EndOptions,
): Promise<boolean> {
  const { teamId, userId } = membership;
  const told = (await readSubject(deps, membership)).subject?.status;
  if (!isOngoing(told)) return false;
  try {
    await notifyService();
  } catch (error) {
    await change(deps, async () =>
      removeLegalHoldDevice(deps, membership, await readForRemoval(deps, membership.userId)),
    );
    throw error;
  }
  const hasEnded = await change(deps, async () => {
    const [{ subject }, state] = await Promise.all([
      readSubject(deps, membership),
      readForRemoval(deps, userId),
    ]);
    if (subject === undefined || !isOngoing(subject.status)) return { result: false };
    if (subject.status !== told) return { result: undefined };
    const removal = await removeLegalHoldDevice(deps, membership, state);
    const isWithdrawn = subject.status === "pending" && legalHoldDeviceOf(state.devices) === undefined;
    return {
      ...combine(
        {
          writes: [
            ...changeStatus(deps, subject, "disabled"),
            deps.allocatedDevices.removeRecord(userId),
            ...conditions,
          ],
        },
        removal,
        isWithdrawn ? { messages: announceEnd(deps, membership) } : undefined,
        { messages: [orderTeamJob(deps.outbox, { job: "settle-legal-hold", teamId, userId })] },
      ),
      afterCommit: async () =>
        deps.log.info("legal-hold-status-changed", { teamId, userId, status: "disabled", by }),
      result: true,
    };
  });
  // The service may have been told of an approval after the end.
  return hasEnded ?? endMemberLegalHold(deps, membership, { notifyService, conditions });
}

/** Decides how a user's legal hold device is removed with its cookies; announces nothing if there is none. */
async function removeLegalHoldDevice(
  deps: Pick<EndDeps, "clock" | "devices" | "events" | "outbox" | "prekeys" | "sessions" | "sockets">,
  membership: Membership,
  { devices, sessions }: RemovalState,
): Promise<Change> {
  const { userId } = membership;
  const device = legalHoldDeviceOf(devices);
  if (device === undefined) {
    // An approval may be about to add one.
    const writes = [deps.devices.requireUnchanged(devices), deps.sessions.removeLegalHold(userId)];
    return { writes, messages: [] };
  }
  const { [device.clientId]: _, ...others } = devices.devices;
  const removal = await deviceRemoval(deps, { userId, device, sessions });
  return combine(
    { writes: [deps.devices.put(devices, others), deps.sessions.removeLegalHold(userId)] },
    removal,
    { messages: announceEnd(deps, membership) },
  );
}

const announceEnd = (deps: Pick<EndDeps, "events">, membership: Membership): OutboxMessage[] =>
  announce(deps, membership, userLegalholdDisable, { id: membership.userId });
