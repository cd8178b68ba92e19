import { settleLegalHold } from "#shared/legal-hold/settle.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/** How long a request settles: the job that is ordered with each change of a status does the rest. */
const requestMilliseconds = 2000;

/** Bring connections and groups in line with a member's new status, as far as the time of a request allows. */
export async function settleNow(deps: Deps, membership: Membership): Promise<void> {
  const stopAt = deps.clock() + requestMilliseconds;
  try {
    await settleLegalHold(deps, membership, () => deps.clock() >= stopAt);
  } catch (error) {
    deps.log.warn("legal-hold-not-settled", { ...membership, error: error as Error });
  }
}
