import { chainOf } from "#shared/platform/audit/audit-record.ts";
import { currentAudited, describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isTeamAdmin } from "#shared/teams/member.ts";
import { installationChain, type Webhook } from "#shared/teams/webhooks/webhook.ts";
import type { Deps } from "./deps.ts";

/** The owner of the webhooks in a request, and the acting user. */
export interface Owner {
  readonly chain: string;
  readonly teamId?: string;
  readonly userId?: string;
}

interface Input {
  readonly query: { readonly team?: string | undefined };
  readonly headers: { readonly "Z-User"?: string | undefined };
}

/**
 * Find the owner of the webhooks in a request. An operator may act for any team; on behalf of a member, only for a team
 * of which the member is an admin.
 *
 * @throws ApiError `no-team`, `not-a-team-member`, `access-denied`
 */
export async function ownerOf({ teams }: Deps, { query: { team: teamId }, headers }: Input): Promise<Owner> {
  const { "Z-User": userId } = headers;
  if (teamId === undefined) {
    if (userId !== undefined) throw new ApiError("access-denied");
    return { chain: installationChain };
  }
  const [team, member] = await Promise.all([
    teams.get(teamId),
    userId === undefined ? undefined : teams.getMember({ teamId, userId }),
  ]);
  if (team === undefined || team.status === "deleted" || team.status === "pending_delete")
    throw new ApiError("no-team");
  if (userId !== undefined && member === undefined) throw new ApiError("not-a-team-member");
  if (member !== undefined && !isTeamAdmin(member)) throw new ApiError("access-denied");
  const actor = currentAudited()?.actor;
  describeAudited({ team: teamId, ...(userId && actor && { actor: { ...actor, user: userId } }) });
  return { chain: chainOf({ team: teamId }), teamId, ...(userId !== undefined && { userId }) };
}

/** @throws ApiError `webhook-not-found` */
export async function theWebhook({ webhooks }: Deps, { chain }: Owner, webhookId: string): Promise<Webhook> {
  const webhook = await webhooks.get({ chain, webhookId });
  if (webhook === undefined) throw new ApiError("webhook-not-found");
  return webhook;
}
