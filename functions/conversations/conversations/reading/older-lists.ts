import type * as z from "zod";
import { toConversationViewV2, toConversationViewV3 } from "#shared/conversations/conversation-view.ts";
import type { conversationList, conversationPage } from "./schemas.ts";

type List = z.input<typeof conversationList>;
type Page = z.input<typeof conversationPage>;

export const toListV3 = ({ found, ...list }: List) => ({ ...list, found: found.map(toConversationViewV3) });
export const toListV2 = ({ found, ...list }: List) => ({ ...list, found: found.map(toConversationViewV2) });

export const toPageV3 = ({ conversations, ...page }: Page) => ({
  ...page,
  conversations: conversations.map(toConversationViewV3),
});
export const toPageV2 = ({ conversations, ...page }: Page) => ({
  ...page,
  conversations: conversations.map(toConversationViewV2),
});
