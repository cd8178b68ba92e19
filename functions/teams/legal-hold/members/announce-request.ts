import { announce } from "#shared/conversations/legal-hold/announce.ts";
import { userLegalholdRequest } from "#shared/conversations/legal-hold/events.ts";
import { deviceIdOf, type Prekey } from "#shared/devices/prekey.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";

/**
 * Announce that a legal hold device awaits a user's approval.
 *
 * @see operation `i-request-legal-hold-client`
 */
export async function announceRequest(deps: Deps, userId: string, lastPrekey: Prekey): Promise<void> {
  const teamId = (await deps.accounts.get(userId))?.teamId;
  const content = { id: userId, last_prekey: lastPrekey, client: { id: deviceIdOf(lastPrekey) } };
  await change(deps, async () => ({
    messages: announce(deps, { teamId, userId }, userLegalholdRequest, content),
  }));
}
