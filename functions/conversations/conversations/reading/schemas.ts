import { NIL } from "uuid";
import * as z from "zod";
import {
  conversationMetadata,
  conversationView,
  conversationViewV2,
  conversationViewV3,
} from "#shared/conversations/conversation-view.ts";
import { qualifiedConversationId } from "#shared/conversations/events/conversation-event.ts";
import { otherMemberView, selfMemberView } from "#shared/conversations/member-view.ts";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import { commaSeparated, hasMore, nextCursor, userId, uuid } from "#shared/platform/http/wire-types.ts";
import { qualifiedConversationPath } from "../schemas.ts";

/** Cursor in a user's list of conversations, which is ordered by their ids. */
const conversationCursor = cursorOf("conversations", z.strictObject({ after: uuid }));

/** Cursor after a conversation; without one, before the first, because the nil UUID sorts before all ids. */
export const cursorAfter = (conversationId: string = NIL): string =>
  z.encode(conversationCursor, { after: conversationId });

export const memberPath = qualifiedConversationPath.extend({ uid: userId });

/** Null for users outside the conversation. */
export const ownMembership = selfMemberView.nullable();

const maxListed = 1000;

export const listRequest = z
  .object({ qualified_ids: z.array(qualifiedConversationId).min(1).max(maxListed) })
  .meta({
    id: "ListConversations",
    examples: [{ qualified_ids: [{ domain: "example.com", id: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60" }] }],
  });

const listOf = <View extends z.ZodType>(view: View, id: string) =>
  z
    .object({
      found: z.array(view),
      not_found: z
        .array(qualifiedConversationId)
        .meta({ description: "Unknown conversations, and those without you" }),
      failed: z
        .array(qualifiedConversationId)
        .meta({ description: "Did not fit into the answer: request them again" }),
    })
    .meta({ id });

export const conversationList = listOf(conversationView, "ConversationsResponse");
export const conversationListV3 = listOf(conversationViewV3, "ConversationsResponseV3");
export const conversationListV2 = listOf(conversationViewV2, "ConversationsResponseV2");

const maxIds = 1000;

export const idsRequest = z
  .object({
    paging_state: conversationCursor
      .optional()
      .meta({ description: "`paging_state` of the previous page; absent for the first page" }),
    size: z
      .int()
      .min(1)
      .max(maxIds)
      .default(maxIds)
      .meta({ description: "Maximum number of ids in the answer" }),
  })
  .meta({ id: "GetPaginated_ConversationIds", examples: [{ size: 1000 }] });

export const idsPage = z
  .object({
    qualified_conversations: z.array(qualifiedConversationId),
    has_more: hasMore,
    paging_state: nextCursor,
  })
  .meta({ id: "ConversationIds_Page" });

const start = uuid.optional().meta({ description: "Id of the conversation after which the list starts" });
const sizeUpTo = (max: number) => z.coerce.number().int().min(1).max(max);

export const idsQuery = z.object({
  start,
  size: sizeUpTo(maxIds).default(maxIds).meta({ description: "Maximum number of ids in the answer" }),
});

export const plainIdsPage = z
  .object({ conversations: z.array(uuid), has_more: hasMore })
  .meta({ id: "PlainConversationIdsPage" });

const maxFullPage = 500;
const defaultFullPage = 32;
const maxIdsInQuery = 32;

export const conversationsQuery = z
  .object({
    ids: commaSeparated(uuid, maxIdsInQuery).optional().meta({
      description: "Ids of the conversations to get, separated by commas, instead of a page of all",
    }),
    start,
    size: sizeUpTo(maxFullPage)
      .default(defaultFullPage)
      .meta({ description: "Maximum number of conversations in the answer" }),
  })
  .refine(({ ids, start: first }) => ids === undefined || first === undefined, {
    path: ["start"],
    message: "excludes ids",
  });

const pageOf = <View extends z.ZodType>(view: View, id: string) =>
  z
    .object({
      conversations: z.array(view),
      has_more: z.boolean().meta({ description: "Also true if not all fitted into the answer" }),
    })
    .meta({ id });

export const conversationPage = pageOf(conversationView, "ConversationsPage");
export const conversationPageV3 = pageOf(conversationViewV3, "ConversationsPageV3");
export const conversationPageV2 = pageOf(conversationViewV2, "ConversationsPageV2");

/** For callers outside the conversation. */
export const conversationForServices = conversationMetadata
  .extend({ members: z.object({ others: z.array(otherMemberView).meta({ description: "All members" }) }) })
  .meta({ id: "ConversationForServices" });
