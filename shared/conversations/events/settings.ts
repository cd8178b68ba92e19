import * as z from "zod";
import { int64 } from "#shared/platform/int64.ts";
import { protocol } from "#shared/registry/feature-configs.ts";
import { access, accessRole, addPermission, type Conversation, receiptMode } from "../conversation.ts";
import { guestLinkView } from "../guest-link-view.ts";
import { legacyAccessRole, toLegacyAccessRole } from "../legacy-access-role.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** The name of something, in events. */
export const named = z.object({ name: z.string() }).meta({ id: "Named" });

/** A conversation is renamed. */
export const conversationRename = defineConversationEvent({
  type: "conversation.rename",
  summary: "A conversation is renamed",
  isForCells: true,
  data: named,
});

const accessRules = z.object({
  access: z.array(access),
  access_role: legacyAccessRole,
  access_role_v2: z.array(accessRole),
});

/** The rules on who may get into a conversation, and how, change. */
export const conversationAccessUpdate = defineConversationEvent({
  type: "conversation.access-update",
  summary: "The rules on who may get into a conversation, and how, change",
  data: accessRules,
});

/** The data of the event, which is the same in all versions. */
export const accessData = ({
  access,
  accessRoles,
}: Pick<Conversation, "access" | "accessRoles">): z.input<typeof accessRules> => ({
  access,
  access_role: toLegacyAccessRole(accessRoles),
  access_role_v2: accessRoles,
});

/** The receipt mode, in requests and events. */
export const receiptModeData = z
  .object({ receipt_mode: receiptMode })
  .meta({ id: "ConversationReceiptModeUpdate", examples: [{ receipt_mode: 1 }] });

/** The receipt mode of a conversation changes. */
export const conversationReceiptModeUpdate = defineConversationEvent({
  type: "conversation.receipt-mode-update",
  summary: "The receipt mode of a conversation changes",
  data: receiptModeData,
});

/** The message timer of a conversation changes or is removed. */
export const conversationMessageTimerUpdate = defineConversationEvent({
  type: "conversation.message-timer-update",
  summary: "The message timer of a conversation changes",
  data: z.object({
    message_timer: int64()
      .nullable()
      .meta({ description: "Milliseconds after which clients remove messages" }),
  }),
});

/** The members who may add others, in requests and events. */
export const addPermissionData = z
  .object({ add_permission: addPermission })
  .meta({ id: "AddPermissionUpdate", examples: [{ add_permission: "admins" }] });

/** The rule on who may add members to a channel changes. */
export const conversationAddPermissionUpdate = defineConversationEvent({
  type: "conversation.add-permission-update",
  summary: "The rule on who may add members to a channel changes",
  data: addPermissionData,
});

/** The protocol of a conversation changes. */
export const conversationProtocolUpdate = defineConversationEvent({
  type: "conversation.protocol-update",
  summary: "The protocol of a conversation changes",
  data: z.object({ protocol }),
});

/** A guest link is created. */
export const conversationCodeUpdate = defineConversationEvent({
  type: "conversation.code-update",
  summary: "A conversation has a guest link",
  data: guestLinkView,
});

/** The guest link is removed. */
export const conversationCodeDelete = defineConversationEvent({
  type: "conversation.code-delete",
  summary: "A conversation no longer has a guest link",
  data: z.null(),
});
