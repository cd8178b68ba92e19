import * as z from "zod";
import { access, accessRole } from "#shared/conversations/conversation.ts";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { typingData } from "#shared/conversations/events/messages.ts";
import {
  addPermissionData,
  conversationAccessUpdate,
  conversationAddPermissionUpdate,
  conversationMessageTimerUpdate,
  conversationProtocolUpdate,
  conversationReceiptModeUpdate,
  conversationRename,
  receiptModeData,
} from "#shared/conversations/events/settings.ts";
import { legacyAccessRole } from "#shared/conversations/legacy-access-role.ts";
import { ownSettings } from "#shared/conversations/member-view.ts";
import { int64 } from "#shared/platform/int64.ts";
import { protocol } from "#shared/registry/feature-configs.ts";

export const nameUpdate = z
  .object({ name: z.string().meta({ description: "1 to 256 characters" }) })
  .meta({ id: "ConversationRename", examples: [{ name: "Engines" }] });
export const renameEvent = eventView(conversationRename);

export const messageTimerUpdate = z
  .object({
    message_timer: int64()
      .nullish()
      .meta({ description: "Milliseconds after which clients remove messages; absent or null: never" }),
  })
  .meta({ id: "ConversationMessageTimerUpdate", examples: [{ message_timer: 3_600_000 }] });
export const messageTimerEvent = eventView(conversationMessageTimerUpdate);

export const receiptModeUpdate = receiptModeData;
export const receiptModeEvent = eventView(conversationReceiptModeUpdate);

export const accessUpdate = z.object({ access: z.array(access), access_role: z.array(accessRole) }).meta({
  id: "ConversationAccessData",
  examples: [{ access: ["invite", "code"], access_role: ["team_member", "non_team_member"] }],
});
/** Before version 3. */
export const accessUpdateV2 = z
  .object({
    access: z.array(access),
    access_role: legacyAccessRole.optional(),
    access_role_v2: z
      .array(accessRole)
      .optional()
      .meta({ description: "Takes precedence over `access_role`" }),
  })
  .meta({ id: "ConversationAccessDataV2", examples: [{ access: ["invite"], access_role: "team" }] });
export const accessEvent = eventView(conversationAccessUpdate);

export const addPermissionUpdate = addPermissionData;
export const addPermissionEvent = eventView(conversationAddPermissionUpdate);

export const protocolUpdate = z
  .object({ protocol: protocol.default("proteus") })
  .meta({ id: "ProtocolUpdate", examples: [{ protocol: "mixed" }] });
export const protocolEvent = eventView(conversationProtocolUpdate);

export const ownUpdate = z
  .object({
    otr_muted_status: ownSettings.otr_muted_status.nullish(),
    otr_muted_ref: ownSettings.otr_muted_ref.nullish(),
    otr_archived: ownSettings.otr_archived.nullish(),
    otr_archived_ref: ownSettings.otr_archived_ref.nullish(),
    hidden: ownSettings.hidden.nullish(),
    hidden_ref: ownSettings.hidden_ref.nullish(),
  })
  .refine((fields) => Object.values(fields).some((value) => value != null), "one of the fields is required")
  .meta({
    id: "MemberUpdate",
    description: "At least one field; the others stay as they are",
    examples: [{ otr_archived: true }],
  });

export const typing = typingData;
