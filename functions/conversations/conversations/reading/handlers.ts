import type { Membership } from "#shared/conversations/conversation-store.ts";
import { toConversationMetadata, toConversationView } from "#shared/conversations/conversation-view.ts";
import { toOtherMemberView, toSelfMemberView } from "#shared/conversations/member-view.ts";
import { answerBytes, maxAnswerBytes } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { ensureNamed } from "../creation/self-conversations.ts";
import type { Deps } from "../deps.ts";
import { readMembership } from "../read-as-member.ts";
import { getConversation } from "./get-conversation.ts";
import { listConversations } from "./list-conversations.ts";
import { listIds, listIdsWithMlsSelf } from "./list-ids.ts";
import type { routes } from "./routes.ts";
import { cursorAfter } from "./schemas.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { conversations, settings } = deps;
  const qualify = (id: string) => ({ domain: settings.domain, id });

  const getMember = async (membership: Membership) => {
    let read = await readMembership(deps, membership);
    if (read === undefined && (await ensureNamed(deps, membership))) {
      read = await readMembership(deps, membership);
    }
    const { self } = read ?? {};
    return { body: self === undefined ? null : toSelfMemberView(self, settings) };
  };

  return {
    "get-conversation": async ({ actor: { userId }, params }) => {
      const populated = await getConversation(deps, { conversationId: params.cid, userId });
      return { body: toConversationView(populated, userId, settings) };
    },

    "get-conversation-self": ({ actor: { userId }, params }) =>
      getMember({ conversationId: params.cid, userId }),

    "list-conversations": async ({ actor: { userId }, body }) => {
      const { local = [], remote = [] } = Object.groupBy(body.qualified_ids, ({ domain }) =>
        isLocalDomain(domain, settings) ? "local" : "remote",
      );
      const { found, unknown, withoutRoom } = await listConversations(
        deps,
        {
          userId,
          ids: local.map(({ id }) => id),
          // Each id may come back as not found or failed.
          maxBytes: maxAnswerBytes - answerBytes(body.qualified_ids),
        },
        (populated) => toConversationView(populated, userId, settings),
      );
      return {
        body: {
          found: [...found],
          not_found: [...remote, ...unknown.map(qualify)],
          failed: withoutRoom.map(qualify),
        },
      };
    },
    "list-conversation-ids": async ({ actor: { userId }, body, version }) => {
      const { paging_state: cursor, size: limit } = body;
      const after = cursor?.after;
      const { ids, hasMore } = await listIdsWithMlsSelf(deps, { userId, version }, { after, limit });
      return {
        body: {
          qualified_conversations: ids.map(qualify),
          has_more: hasMore,
          paging_state: cursorAfter(ids.at(-1) ?? after),
        },
      };
    },
    "list-conversation-ids-unqualified": async ({ actor: { userId }, query, version }) => {
      const { start: after, size: limit } = query;
      const { ids, hasMore } = await listIds(deps, { userId, version }, { after, limit });
      return { body: { conversations: ids, has_more: hasMore } };
    },

    "get-conversations": async ({ actor: { userId }, query, version }) => {
      const { ids: requested, start: after, size: limit } = query;
      const { ids, hasMore } =
        requested === undefined
          ? await listIds(deps, { userId, version }, { after, limit })
          : { ids: requested.toSorted(), hasMore: false };
      const { found, withoutRoom } = await listConversations(
        deps,
        { userId, ids, maxBytes: maxAnswerBytes },
        (populated) => toConversationView(populated, userId, settings),
      );
      return { body: { conversations: [...found], has_more: hasMore || withoutRoom.length > 0 } };
    },

    "i-get-conversation": async ({ params }) => {
      const found = await conversations.getPopulated(params.cid);
      if (found === undefined) throw new ApiError("no-conversation");
      const others = found.members.map((member) => toOtherMemberView(member, settings));
      return { body: { ...toConversationMetadata(found.conversation, settings), members: { others } } };
    },
    "i-get-conversation-metadata": async ({ params }) => {
      const conversation = await conversations.get(params.cid);
      if (conversation === undefined) throw new ApiError("no-conversation");
      return { body: toConversationMetadata(conversation, settings) };
    },
    "i-get-conversation-member": ({ params }) =>
      getMember({ conversationId: params.cid, userId: params.uid }),
  };
}
