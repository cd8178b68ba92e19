import * as z from "zod";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { ConversationMember } from "../conversation-member.ts";
import { roleName } from "../conversation-roles.ts";
import { defineConversationEvent } from "./conversation-event.ts";

const data = z.object({
  users: z.array(
    z
      .object({ qualified_id: qualifiedId, id: z.uuid(), conversation_role: z.string() })
      .meta({ id: "SimpleMember" }),
  ),
  user_ids: z.array(z.uuid()),
  add_type: z
    .enum(["internal_add", "external_add"])
    .meta({ description: "`external_add`: added to a channel, whose MLS group the users have yet to join" }),
});

/** Users become members. */
export const conversationMemberJoin = defineConversationEvent({
  type: "conversation.member-join",
  summary: "Users become members of a conversation",
  isForCells: true,
  data,
});

/** The data of the event. */
export const joinData = (
  members: readonly Pick<ConversationMember, "userId" | "role">[],
  { domain, vendor }: Pick<Settings, "domain" | "vendor">,
  addType: z.input<typeof data>["add_type"] = "internal_add",
): z.input<typeof data> => ({
  users: members.map(({ userId, role }) => ({
    qualified_id: { domain, id: userId },
    id: userId,
    conversation_role: roleName(role, vendor),
  })),
  user_ids: members.map(({ userId }) => userId),
  add_type: addType,
});
