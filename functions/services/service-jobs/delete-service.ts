import { chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Service, ServiceId } from "#shared/services/service.ts";
import type { Deps } from "./deps.ts";
import { removeBots } from "./remove-bots.ts";

/**
 * Delete a service that is marked for it: no bot can be added and no list can name it any more. The record is removed
 * last, because a repetition finds the rest by it.
 * @returns false when time ran out
 */
export async function deleteService(
  deps: Deps,
  { providerId, serviceId }: ServiceId,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const { bots, log, services } = deps;
  const id = { providerId, serviceId };
  if (!isMarked(await services.getEvenDeleted(id))) return true;
  if (!(await removeBots(deps, bots.ofService(id), { isTimeUp }))) return false;
  if (!(await removeFromLists(deps, id, isTimeUp))) return false;
  await change(deps, async () => {
    const service = await services.getEvenDeleted(id);
    if (!isMarked(service)) return undefined;
    return {
      writes: services.finishDeletion(service),
      afterCommit: async () => log.info("service-deleted", id),
    };
  });
  return true;
}

type Marked = Service & { readonly isBeingDeleted: true };

const isMarked = (service: Service | undefined): service is Marked => service?.isBeingDeleted === true;

/** Lists changed concurrently. */
const concurrency = 16;

/**
 * Take a service that is being deleted off the lists of all teams. A list that cannot be changed does not delay the
 * others.
 * @returns false when time ran out
 */
async function removeFromLists(deps: Deps, service: ServiceId, isTimeUp: TimeLimit): Promise<boolean> {
  const failures = new Failures("lists");
  for await (const teamIds of chunksOfStream(deps.whitelist.teamsWith(service.serviceId), concurrency)) {
    if (isTimeUp()) return false;
    await failures.collectAll(teamIds.map((teamId) => removeFromList(deps, service, teamId)));
  }
  return failures.throwOr(true);
}

function removeFromList(deps: Deps, service: ServiceId, teamId: string): Promise<void> {
  const { whitelist } = deps;
  return change(deps, async () => {
    if (await whitelist.isAdmitted(teamId, service)) return { writes: whitelist.remove(teamId, service) };
    return { writes: [whitelist.removeReverse(teamId, service.serviceId)] };
  });
}
