import * as z from "zod";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { ConversationMember, OwnSettings } from "../conversation-member.ts";
import { type ConversationRole, roleName } from "../conversation-roles.ts";
import { ownSettings } from "../member-view.ts";
import { defineConversationEvent } from "./conversation-event.ts";

const joined = z.object({
  users: z.array(
    z
      .object({ qualified_id: qualifiedId, id: z.uuid(), conversation_role: z.string() })
      .meta({ id: "SimpleMember" }),
  ),
  user_ids: z.array(z.uuid()),
  add_type: z.enum(["internal_add", "external_add"]).meta({
    id: "AddType",
    description: "`external_add`: added to a channel, whose MLS group the users have yet to join",
  }),
});

/** Users become members. */
export const conversationMemberJoin = defineConversationEvent({
  type: "conversation.member-join",
  summary: "Users become members of a conversation",
  isForCells: true,
  data: joined,
});

/** The data of the event. */
export const joinData = (
  members: readonly Pick<ConversationMember, "userId" | "role">[],
  { domain, vendor }: Pick<Settings, "domain" | "vendor">,
  addType: z.input<typeof joined>["add_type"] = "internal_add",
): z.input<typeof joined> => ({
  users: members.map(({ userId, role }) => ({
    qualified_id: { domain, id: userId },
    id: userId,
    conversation_role: roleName(role, vendor),
  })),
  user_ids: members.map(({ userId }) => userId),
  add_type: addType,
});

const leaveReason = z.enum(["left", "removed", "user-deleted"]).meta({ id: "EdMemberLeftReason" });
type LeaveReason = z.infer<typeof leaveReason>;

const left = z.object({
  reason: leaveReason,
  qualified_user_ids: z.array(qualifiedId),
  user_ids: z.array(z.uuid()),
});

/** Members leave, are removed, or lose their accounts. */
export const conversationMemberLeave = defineConversationEvent({
  type: "conversation.member-leave",
  summary: "Users are no longer members of a conversation",
  isForCells: true,
  isPushed: ({ reason }) => reason !== "user-deleted",
  data: left,
});

/** The data of the event. */
export const leaveData = (
  userIds: readonly string[],
  reason: LeaveReason,
  { domain }: Pick<Settings, "domain">,
): z.input<typeof left> => ({
  reason,
  qualified_user_ids: userIds.map((id) => ({ domain, id })),
  user_ids: [...userIds],
});

const changedRole = z.object({
  qualified_target: qualifiedId,
  target: z.uuid().meta({ description: "Id of the member" }),
  conversation_role: z.string().meta({ description: "The member's new role" }),
});

/** A member's role changes. */
export const conversationMemberUpdate = defineConversationEvent({
  type: "conversation.member-update",
  summary: "The role of a conversation member changes",
  isForCells: true,
  data: changedRole,
});

/** The data of the event. */
export const roleData = (
  userId: string,
  role: ConversationRole,
  { domain, vendor }: Pick<Settings, "domain" | "vendor">,
): z.input<typeof changedRole> => ({
  qualified_target: { domain, id: userId },
  target: userId,
  conversation_role: roleName(role, vendor),
});

const changedOwnSettings = z
  .object({
    qualified_target: qualifiedId,
    target: z.uuid().meta({ description: "Id of the user" }),
  })
  .extend(z.object(ownSettings).partial().shape);

/** A member has changed their own settings; the type is the same as for a change of role. */
export const conversationOwnUpdate = defineConversationEvent({
  type: "conversation.member-update",
  summary: "Your own settings of a conversation change; only the changed ones are present",
  recipients: "self",
  data: changedOwnSettings,
});

/** The data of the event. */
export const toOwnUpdateData = (
  userId: string,
  settings: OwnSettings,
  { domain }: Pick<Settings, "domain">,
): z.input<typeof changedOwnSettings> => ({
  qualified_target: { domain, id: userId },
  target: userId,
  otr_muted_status: settings.mutedStatus,
  otr_muted_ref: settings.mutedReference,
  otr_archived: settings.isArchived,
  otr_archived_ref: settings.archivedReference,
  hidden: settings.isHidden,
  hidden_ref: settings.hiddenReference,
});
