import { setTimeout as delay } from "node:timers/promises";
import { conversationDeletion } from "#shared/conversations/conversation-deletion.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Deps } from "../deps.ts";

/** Conversations deleted concurrently. */
const concurrency = 16;

/**
 * Delete the conversations of a team. Only participants outside the team are told: its members learn that the team is
 * deleted. Runs before the accounts are deleted, which would leave the conversations one by one. A conversation that
 * cannot be deleted does not delay the others.
 */
export async function deleteConversations(deps: Deps, team: Team, isTimeUp: TimeLimit): Promise<boolean> {
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
