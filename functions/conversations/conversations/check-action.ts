import { isChannel, isMls } from "#shared/conversations/conversation.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import { allows, type ConversationAction } from "#shared/conversations/conversation-roles.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isTeamAdmin, type Member } from "#shared/teams/member.ts";
import type { Deps } from "./deps.ts";

/** The data that decide whether a user may change a conversation. */
export interface Subject extends PopulatedConversation {
  /** The acting user as a member of the conversation. */
  readonly self: ConversationMember | undefined;
  /** The acting user as a member of the team that owns the conversation. */
  readonly teamMember: Member | undefined;
}

interface Rule {
  /** Admins of the team who may do it in channels whatever their role there: all, or those who are in the channel. */
  readonly channelAdmins?: "all" | "members";
  readonly isOpenToOneToOne?: true;
  /** Whether MLS conversations other than channels need a commit for it. */
  readonly isByCommit?: true;
  /** Whether only admins of the team may do it in channels; to everybody else, the conversation seems not to exist. */
  readonly isHiddenInChannels?: true;
}

const rules: Readonly<Record<ConversationAction, Rule>> = {
  add_conversation_member: { channelAdmins: "all", isByCommit: true },
  remove_conversation_member: { channelAdmins: "all", isByCommit: true, isHiddenInChannels: true },
  modify_conversation_name: { channelAdmins: "all", isOpenToOneToOne: true },
  modify_conversation_message_timer: { channelAdmins: "members" },
  modify_conversation_receipt_mode: {},
  modify_conversation_access: { channelAdmins: "members" },
  modify_other_conversation_member: { channelAdmins: "members" },
  leave_conversation: {},
  delete_conversation: { channelAdmins: "members" },
  modify_add_permission: { channelAdmins: "members" },
};

/**
 * Read a conversation for a change by a user.
 * @throws ApiError `no-conversation`
 */
export async function readForChange(
  { conversations, teams }: Pick<Deps, "conversations" | "teams">,
  { userId, conversationId }: { userId: string; conversationId: string },
): Promise<Subject> {
  const found = await conversations.getPopulated(conversationId);
  if (found === undefined) throw new ApiError("no-conversation");
  const { teamId } = found.conversation;
  return {
    ...found,
    self: found.members.find((member) => member.userId === userId),
    teamMember: teamId === undefined ? undefined : await teams.getMember({ teamId, userId }),
  };
}

/**
 * Check the rules that all changes share. Their order is part of the interface.
 * @param options.isCommit whether a commit does it
 * @throws ApiError `invalid-op`, `action-denied`, `no-conversation`
 */
export function checkAction(
  subject: Subject,
  action: ConversationAction,
  { isCommit = false }: { readonly isCommit?: boolean } = {},
): void {
  const { conversation, self, teamMember } = subject;
  const { channelAdmins, isOpenToOneToOne, isByCommit, isHiddenInChannels } = rules[action];
  if (isByCommit && !isCommit && isMls(conversation) && !isChannel(conversation))
    throw new ApiError("invalid-op");

  const isAdmin = channelAdmins !== undefined && administersChannel(subject);
  if (isHiddenInChannels && isChannel(conversation) && !isAdmin) throw new ApiError("no-conversation");
  const mayAdd = action === "add_conversation_member" && isOpenToTeam(subject);
  if (self !== undefined && !isAdmin && !mayAdd && !allows(self.role, action))
    throw new ApiError("action-denied");
  if (self === undefined && teamMember === undefined) throw new ApiError("no-conversation");

  const isType = conversation.type === "regular" || (isOpenToOneToOne && conversation.type === "one-to-one");
  if (!isType) throw new ApiError("invalid-op");

  if (self === undefined && !(isAdmin && channelAdmins === "all")) throw new ApiError("no-conversation");
}

/** Whether the acting user is an admin or owner of the team that owns the channel. */
export const administersChannel = ({
  conversation,
  teamMember,
}: Pick<Subject, "conversation" | "teamMember">): boolean =>
  isChannel(conversation) && teamMember !== undefined && isTeamAdmin(teamMember);

/** Whether the channel lets all members who are in the team add others. */
const isOpenToTeam = ({ conversation, teamMember }: Pick<Subject, "conversation" | "teamMember">): boolean =>
  isChannel(conversation) && conversation.addPermission === "everyone" && teamMember !== undefined;
