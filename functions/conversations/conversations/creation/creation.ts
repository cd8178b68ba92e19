import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";

/** Maximum number of members in one transaction, with two items each. */
const maxMembersInTransaction = 45;

/** A plan to store a conversation with its members, who may be too many for one transaction. */
export interface Creation {
  /** Whether `store` has anything to do. */
  readonly isStoredInParts: boolean;
  /** Has to run before `store`; may run while the request is still being checked. */
  readonly prepare: () => Promise<void>;
  /** Undo `prepare`, because the request is refused. Without effect once anything may be stored. */
  readonly abandon: () => Promise<void>;
  /** Store what does not fit into the transaction, invisible until the commit. */
  readonly store: () => Promise<void>;
  /** The rest, for the transaction. */
  readonly writes: readonly Write[];
}

/**
 * Plan how to store a new conversation. Members who do not fit into one transaction are stored first, and become
 * members when the conversation is created. In case the function dies before that, a job to remove them is enqueued
 * first; the transaction that creates the conversation revokes it.
 */
export function planCreation(
  deps: Pick<Deps, "conversations" | "dynamo" | "outbox">,
  { conversation, members }: PopulatedConversation,
): Creation {
  const { conversations, outbox } = deps;
  if (members.length <= maxMembersInTransaction) {
    const writes = conversations.create(conversation, members);
    return { isStoredInParts: false, prepare: nothing, abandon: nothing, store: nothing, writes };
  }
  const { conversationId } = conversation;
  const userIds = members.map(({ userId }) => userId);
  const undoing = orderConversationJob(
    outbox,
    { job: "undo-creation", conversationId, userIds },
    { isDeferred: true },
  );
  let isStored = false;
  return {
    isStoredInParts: true,
    prepare: () => change(deps, async () => ({ messages: [undoing] }), unguarded),
    async abandon() {
      if (!isStored) await change(deps, async () => ({ writes: [undoing.revoke] }), unguarded);
    },
    async store() {
      isStored = true;
      await conversations.storeMembers(conversation, members);
    },
    writes: [...conversations.createRecord(conversation), undoing.revoke],
  };
}

const unguarded = { isGuarded: false };

const nothing = async () => {};
