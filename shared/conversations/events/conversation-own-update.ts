import * as z from "zod";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { OwnSettings } from "../conversation-member.ts";
import { ownSettings } from "../member-view.ts";
import { defineConversationEvent } from "./conversation-event.ts";

const data = z
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
  data,
});

/** The data of the event. */
export const toOwnUpdateData = (
  userId: string,
  settings: OwnSettings,
  { domain }: Pick<Settings, "domain">,
): z.input<typeof data> => ({
  qualified_target: { domain, id: userId },
  target: userId,
  otr_muted_status: settings.mutedStatus,
  otr_muted_ref: settings.mutedReference,
  otr_archived: settings.isArchived,
  otr_archived_ref: settings.archivedReference,
  hidden: settings.isHidden,
  hidden_ref: settings.hiddenReference,
});
