import * as z from "zod";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationMemberJoin, conversationMemberLeave } from "#shared/conversations/events/members.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { conversationPath, qualifiedConversationPath, roleName } from "../schemas.ts";

const userId = { uid: wire.userId };

export const memberPath = conversationPath.extend(userId);
export const qualifiedMemberPath = qualifiedConversationPath.extend({ user_domain: wire.domain, ...userId });

/** Maximum number of users in one request: more than any conversation but a channel holds. */
const maxUsers = 2000;
const roleOfNewMembers = roleName
  .optional()
  .meta({ description: "By default the highest role that you may give" });

export const addition = z
  .object({
    qualified_users: z.array(wire.qualifiedId).min(1).max(maxUsers),
    conversation_role: roleOfNewMembers,
  })
  .meta({
    id: "InviteQualified",
    examples: [{ qualified_users: [{ domain: "example.org", id: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60" }] }],
  });

export const unqualifiedAddition = z
  .object({ users: z.array(wire.userId).min(1).max(maxUsers), conversation_role: roleOfNewMembers })
  .meta({ id: "Invite", examples: [{ users: ["8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60"] }] });

export const roleUpdate = z
  .object({ conversation_role: roleName })
  .meta({ id: "OtherMemberUpdate", examples: [{ conversation_role: "svc_member" }] });

export const joinEvent = eventView(conversationMemberJoin);
export const leaveEvent = eventView(conversationMemberLeave);
