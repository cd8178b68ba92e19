import { setTimeout as delay } from "node:timers/promises";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { conversationDeletion } from "#shared/conversations/conversation-deletion.ts";
import { chainOf } from "#shared/platform/audit/audit-record.ts";
import { chunks, chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { type RemovalDeps, removeProvider } from "#shared/provisioning/remove-provider.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Team } from "#shared/teams/team.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";

/**
 * A step of a deletion. It may be repeated, and continues where the previous run stopped.
 * @returns false when time ran out
 */
type Step = (deps: Deps, team: Team, isTimeUp: TimeLimit) => Promise<boolean>;

/** Everything that is deleted with a team, in this order. The team's status prevents additions meanwhile. */
const steps: readonly Step[] = [
  removeInvitations,
  removeProvisioning,
  deleteConversations,
  deleteMembers,
  removeDomains,
  removeFromWhitelist,
  removeServices,
  removeWebhooks,
  removeContents,
  removeLog,
  bury,
];

/** Delete a team that is marked for deletion, with everything in it: only a tombstone remains. */
export async function deleteTeam(deps: Deps, teamId: string, isTimeUp: TimeLimit): Promise<void> {
  const team = await deps.teams.get(teamId);
  if (team?.status !== "pending_delete") return;
  for (const step of steps) {
    if (!(await step(deps, team, isTimeUp))) return continueLater(deps, teamId);
  }
}

async function removeInvitations({ invitations }: Deps, { teamId }: Team) {
  await invitations.removeAll(teamId);
  return true;
}

async function removeProvisioning(deps: Deps, { teamId }: Team) {
  await removeTeamProvisioning(deps, teamId);
  return true;
}

async function removeDomains({ domains }: Deps, { teamId }: Team) {
  await domains.removeAllOf(teamId);
  return true;
}

async function removeFromWhitelist(deps: Deps, { teamId }: Team) {
  await change(deps, async () => ({ writes: [deps.legalHoldWhitelist.remove(teamId)] }));
  return true;
}

async function removeServices({ serviceWhitelist }: Deps, { teamId }: Team) {
  await serviceWhitelist.removeAllOf(teamId);
  return true;
}

async function removeWebhooks({ webhooks }: Deps, { teamId }: Team) {
  await webhooks.removeAllOf(chainOf({ team: teamId }));
  return true;
}

/** Including features and the legal hold service. */
async function removeContents({ teams }: Deps, { teamId }: Team) {
  await teams.removeContents(teamId);
  return true;
}

async function removeLog({ notifications }: Deps, { teamId }: Team) {
  await notifications.removeTeamLog(teamId);
  return true;
}

async function bury(deps: Deps, { teamId }: Team) {
  const { clock, teams } = deps;
  await change(deps, async () => {
    const team = await teams.get(teamId);
    return team?.status === "pending_delete" ? { writes: [teams.bury(team, clock())] } : undefined;
  });
  return true;
}

async function continueLater(deps: Deps, teamId: string): Promise<void> {
  const { clock, outbox, teams } = deps;
  await change(deps, async () => {
    const team = await teams.get(teamId);
    if (team?.status !== "pending_delete") return undefined;
    return {
      writes: [teams.orderDeletion(team, clock())],
      messages: [orderTeamJob(outbox, { job: "delete", teamId })],
    };
  });
}

/** Remove the identity providers and tokens of a team that is being deleted, and everything stored with them. */
async function removeTeamProvisioning(
  deps: RemovalDeps & { readonly dynamo: DynamoDBDocumentClient },
  teamId: string,
): Promise<void> {
  while (await removeNext(deps, teamId));
  await deps.provisioning.removeContents(teamId);
}

/** @returns whether there may be more */
const removeNext = (
  deps: RemovalDeps & { readonly dynamo: DynamoDBDocumentClient },
  teamId: string,
): Promise<boolean> =>
  change<boolean>(deps, async () => {
    const { identityProviders, provisioning } = deps;
    const team = await provisioning.get(teamId);
    const [listed] = team.providers;
    if (listed !== undefined) {
      const provider = await identityProviders.get(listed.id);
      if (provider === undefined) throw new Error(`Team ${teamId} lists the missing provider ${listed.id}`);
      return { writes: await removeProvider(deps, team, provider), result: true };
    }
    if (team.tokens.length === 0) return { result: false };
    return { writes: provisioning.save(team, { ...team, tokens: [] }), result: true };
  });

/** Conversations, or accounts, deleted concurrently. */
const concurrency = 16;

/**
 * Delete the conversations of a team. Only participants outside the team are told: its members learn that the team is
 * deleted. Runs before the accounts are deleted, which would leave the conversations one by one. A conversation that
 * cannot be deleted does not delay the others.
 */
async function deleteConversations(deps: Deps, team: Team, isTimeUp: TimeLimit): Promise<boolean> {
  const { conversations, settings } = deps;
  const failures = new Failures("conversations");
  for await (const entries of chunksOfStream(conversations.ofTeam(team.teamId), concurrency)) {
    if (isTimeUp()) return failures.throwIfStuckOr(false);
    const outcomes = await failures.collectAll(
      entries.map(({ conversationId }) => deleteConversation(deps, team, conversationId)),
    );
    const told = outcomes.filter((isSomebodyTold) => isSomebodyTold);
    await delay(settings.deleteConvThrottleMillis * told.length);
  }
  return failures.throwOr(true);
}

/** @returns whether somebody outside the team was told */
async function deleteConversation(deps: Deps, team: Team, conversationId: string): Promise<boolean> {
  const { conversations, teams } = deps;
  const { teamId, creator, deletedBy = creator } = team;
  return change(deps, async () => {
    const found = await conversations.getPopulated(conversationId);
    if (found === undefined) return { result: false };
    const userIds = found.members.map(({ userId }) => userId);
    const inTeam = new Set((await teams.getMembers(teamId, userIds)).map(({ userId }) => userId));
    const recipients = found.members.filter(({ userId }) => !inTeam.has(userId));
    const deletion = conversationDeletion(deps, found.conversation, {
      actor: { userId: deletedBy },
      recipients,
    });
    return { ...deletion, result: recipients.length > 0 };
  });
}

/**
 * Delete the accounts of all members, with an event to each in the same transaction, and of those invited by a
 * directory. An account that cannot be deleted does not delay the others.
 */
async function deleteMembers(deps: Deps, { teamId }: Team, isTimeUp: TimeLimit): Promise<boolean> {
  const limit = deps.settings.concurrentDeletionEvents;
  const failures = new Failures("accounts");
  let after: string | undefined;
  for (;;) {
    const members = await deps.teams.pageOfMembers(teamId, { after, limit });
    for (const group of chunks(members, concurrency)) {
      if (isTimeUp()) return failures.throwIfStuckOr(false);
      await failures.collectAll(group.map((member) => deleteMember(deps, member)));
    }
    if (members.length < limit) break;
    after = members.at(-1)?.userId;
  }
  for await (const group of chunksOfStream(deps.accounts.claimsByDirectory(teamId), concurrency)) {
    if (isTimeUp()) return failures.throwIfStuckOr(false);
    const invitees = group.filter(({ status }) => status === "pending-invitation");
    await failures.collectAll(invitees.map(({ userId }) => deleteAccount(deps, userId)));
  }
  return failures.throwOr(true);
}

/** A defect may leave a member without an account, which must not keep the team from being deleted. */
async function deleteMember(deps: Deps, member: Member): Promise<void> {
  const isDeleted = await deleteAccount(deps, member.userId, { isTeamDeleted: true });
  if (isDeleted) return;
  await change(deps, async () => {
    const leftOver = await deps.teams.getMember(member);
    return leftOver && { writes: deps.teams.removeLeftOver(leftOver) };
  });
}
