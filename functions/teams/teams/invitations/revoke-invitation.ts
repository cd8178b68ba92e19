import { change } from "#shared/platform/messaging/change.ts";
import type { InvitationKey } from "#shared/teams/invitation-store.ts";
import type { Deps } from "../deps.ts";
import { readInvitation } from "./read-invitations.ts";

/**
 * Revoke an invitation, if it is still pending.
 *
 * @throws ApiError `insufficient-permissions`
 * @see operation `delete-team-invitation`
 */
export async function revokeInvitation(deps: Deps, viewerId: string, key: InvitationKey): Promise<void> {
  const { invitations } = deps;
  await change(deps, async () => {
    const { invitation } = await readInvitation(deps, viewerId, key);
    if (invitation === undefined) return undefined;
    const state = await invitations.readState(invitation);
    return invitations.isIn(invitation, state)
      ? { writes: invitations.remove(invitation, state) }
      : undefined;
  });
}
