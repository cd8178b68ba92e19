import * as z from "zod";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationMemberJoin } from "#shared/conversations/events/members.ts";
import { conversationCodeDelete, conversationCodeUpdate } from "#shared/conversations/events/settings.ts";
import { presentedLink } from "#shared/conversations/guest-link-view.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

const password = z.string().min(8).max(1024).meta({ description: "Password of the link" });
/** A code that no link can have counts as wrong, not as malformed. */
const enteredPassword = z.string().meta({ description: "Password of the link" });

export const guestLinkRequest = z
  .object({ password: password.optional() })
  .meta({ id: "CreateConversationCodeRequest", examples: [{ password: "correct horse battery" }] });

export const codeUpdateEvent = eventView(conversationCodeUpdate);
export const codeDeleteEvent = eventView(conversationCodeDelete);
export const memberJoinEvent = eventView(conversationMemberJoin);

const example = { key: "nJR2ZpFAuX2m6nYJ4HsV", code: "A9FdVqzZ4cTzVqwsYH1c" };

export const linkCheck = presentedLink
  .extend({ uri: z.string().optional() })
  .meta({ id: "ConversationCode", examples: [example] });

export const joinRequest = presentedLink
  .extend({ uri: z.string().optional(), password: enteredPassword.optional() })
  .meta({ id: "JoinConversationByCode", examples: [example] });

export const coverView = z
  .object({
    id: wire.uuid.meta({ description: "Id of the conversation" }),
    name: z.string().optional().meta({ description: "Name of the conversation, if it has one" }),
    has_password: z.boolean().meta({ description: "Whether joining needs a password" }),
  })
  .meta({ id: "ConversationCoverView" });
