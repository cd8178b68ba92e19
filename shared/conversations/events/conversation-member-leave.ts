import * as z from "zod";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { defineConversationEvent } from "./conversation-event.ts";

const leaveReason = z.enum(["left", "removed", "user-deleted"]).meta({ id: "EdMemberLeftReason" });
type LeaveReason = z.infer<typeof leaveReason>;

const data = z.object({
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
  data,
});

/** The data of the event. */
export const leaveData = (
  userIds: readonly string[],
  reason: LeaveReason,
  { domain }: Pick<Settings, "domain">,
): z.input<typeof data> => ({
  reason,
  qualified_user_ids: userIds.map((id) => ({ domain, id })),
  user_ids: [...userIds],
});
