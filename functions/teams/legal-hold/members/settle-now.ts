import { settleLegalHold } from "#shared/conversations/legal-hold/settle.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/** How long a request spends on this; the job enqueued with each change of status does the rest. */
const requestMilliseconds = 2000;

/** Bring connections and groups in line with a member's new status, as far as time allows. */
export async function settleNow(deps: Deps, membership: Membership): Promise<void> {
  const stopAt = deps.clock() + requestMilliseconds;
  try {
    await settleLegalHold(deps, membership, () => deps.clock() >= stopAt);
  } catch (error) {
    deps.log.warn("legal-hold-not-settled", { ...membership, error: error as Error });
  }
}
