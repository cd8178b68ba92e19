import { isChannel } from "#shared/conversations/conversation.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import { type ConversationRole, includesRole } from "#shared/conversations/conversation-roles.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/conversation-member-join.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { hasPermission } from "#shared/teams/permissions.ts";
import { type Candidates, checkAcquainted, readCandidates } from "../common/candidates.ts";
import { type ChangeCommand, changeConversation } from "../common/change-conversation.ts";
import { checkAccessRoles } from "../common/check-access-roles.ts";
import { administersChannel, type Subject } from "../common/check-action.ts";
import { checkSize } from "../common/check-size.ts";
import type { Deps } from "../deps.ts";

interface AddCommand extends ChangeCommand {
  readonly userIds: readonly string[];
  /** Whether users of other domains are to be added, too. */
  readonly hasRemoteUsers: boolean;
  /** By default the highest that the acting user may give. */
  readonly role: ConversationRole | undefined;
}

/** Two writes each, beside the conversation, the condition on the team, and the parts of the event. */
const maxUsersPerTransaction = 40;

/**
 * Add users to a conversation. More than one transaction takes are added one transaction after the other, each with an
 * event of its own; when it ends half-way, a repetition adds the rest.
 *
 * @returns an event that names everybody who was added; undefined when all of them are members already
 * @throws ApiError those of `changeConversation`, `action-denied`, `too-many-members`, `access-denied`,
 *   `not-a-team-member`, `not-connected`, `invalid-op`
 * @see operation `add-members-to-conversation` and its older forms
 */
export async function addMembers(deps: Deps, { actor, conversationId, ...command }: AddCommand) {
  const userIds = [...new Set(command.userIds)];
  const reading = readCandidates(deps, { userId: actor.userId, candidateIds: userIds });
  // Whoever may not add users does not wait for it; its failure counts where it is awaited.
  reading.catch(() => undefined);

  const addPart = (part: readonly string[]) =>
    changeConversation(
      deps,
      { actor, conversationId },
      { action: "add_conversation_member", event: conversationMemberJoin },
      async (subject) => {
        const role = roleToGive(subject, command.role);
        const present = new Set(subject.members.map(({ userId }) => userId));
        const newcomers = userIds.filter((userId) => !present.has(userId));
        checkNewcomers(deps, subject, await reading, { newcomers, ...command });
        const joining: ConversationMember[] = part
          .filter((userId) => !present.has(userId))
          .map((userId) => ({ conversationId, userId, role }));
        if (joining.length === 0) return undefined;
        const addType = isChannel(subject.conversation) ? "external_add" : "internal_add";
        return { joining, data: joinData(joining, deps.settings, addType) };
      },
    );

  const events: NonNullable<Awaited<ReturnType<typeof addPart>>>[] = [];
  // Users of other domains are refused even if nobody else is named.
  const parts = userIds.length === 0 ? [[]] : chunks(userIds, maxUsersPerTransaction);
  for (const part of parts) {
    const event = await addPart(part);
    if (event !== undefined) events.push(event);
  }
  const last = events.at(-1);
  if (last === undefined) return undefined;
  const users = events.flatMap(({ data }) => data.users);
  return { ...last, data: { ...last.data, users, user_ids: users.map(({ id }) => id) } };
}

/**
 * The role that new members get.
 * @throws ApiError `action-denied` when it allows more than that of the acting user
 */
function roleToGive(subject: Subject, requested: ConversationRole | undefined): ConversationRole {
  const { self } = subject;
  const highest = self === undefined || administersChannel(subject) ? "admin" : self.role;
  if (requested !== undefined && !includesRole(highest, requested)) throw new ApiError("action-denied");
  return requested ?? highest;
}

/** Their order is part of the interface; the rules of legal hold come before the last one. */
function checkNewcomers(
  { settings }: Deps,
  { conversation, teamMember }: Subject,
  candidates: Candidates,
  { newcomers, hasRemoteUsers }: { newcomers: readonly string[]; hasRemoteUsers: boolean },
): void {
  checkSize(conversation, newcomers.length, settings);
  if (!conversation.access.includes("invite")) throw new ApiError("access-denied");
  const strangers = hasRemoteUsers ? [undefined] : [];
  checkAccessRoles(conversation, [...newcomers.map((id) => candidates.accounts.get(id)), ...strangers]);
  if (hasRemoteUsers) throw new ApiError("not-connected");
  checkAcquainted(candidates, newcomers);
  const isAllowed = teamMember === undefined || hasPermission(teamMember.permissions, "AddRemoveConvMember");
  if (!isAllowed && !isChannel(conversation)) throw new ApiError("invalid-op");
}
