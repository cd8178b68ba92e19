import { chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { ServiceId } from "#shared/services/service.ts";
import type { Deps } from "./deps.ts";

/** Lists changed concurrently. */
const concurrency = 16;

/**
 * Take a service that is being deleted off the lists of all teams. A list that cannot be changed does not delay the
 * others. @returns false when time ran out
 */
export async function removeFromLists(deps: Deps, service: ServiceId, isTimeUp: TimeLimit): Promise<boolean> {
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
