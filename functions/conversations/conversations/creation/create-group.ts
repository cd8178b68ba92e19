import { announce } from "#shared/conversations/announce.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { toConversationInEvent } from "#shared/conversations/conversation-view.ts";
import { conversationCreate } from "#shared/conversations/events/lifecycle.ts";
import { allDone } from "#shared/platform/all-done.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { orderSettlement } from "../legal-hold.ts";
import {
  buildGroup,
  checkNumberOfUsers,
  checkOwnTeam,
  checkRights,
  checkUsers,
  type NewGroup,
  readPeople,
} from "./new-group.ts";

/**
 * Create a group with its members, and tell them. Takes at most three round trips, however many members there are.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operations `create-group-conversation`
 */
export async function createGroup(deps: Deps, group: NewGroup): Promise<PopulatedConversation> {
  const { settings, teams } = deps;
  const { actor, teamId } = group;
  checkNumberOfUsers(group, settings);
  return change(deps, async () => {
    const populated = buildGroup(deps, group);
    const { conversation, members } = populated;
    const creation = planCreation(deps, populated);
    const [people] = await Promise.all([readPeople(deps, group), creation.prepare()]);
    const checkUsersAndStore = async () => {
      checkUsers(group, people, settings);
      await creation.store();
    };
    try {
      checkRights(group, people, settings);
      // Concurrently, because the check may take a read, and preparing several writes.
      await allDone([checkOwnTeam(deps, group, people), checkUsersAndStore()]);
    } catch (error) {
      await creation.abandon();
      throw error;
    }
    const { messages } = announce(deps, conversationCreate, {
      conversation,
      actor,
      recipients: members,
      data: toConversationInEvent(populated, settings),
    });
    const effects = combine(
      { writes: creation.writes, messages },
      teamId === undefined ? undefined : { writes: [teams.requirePresent(teamId)] },
      {
        messages: orderSettlement(deps, conversation.conversationId, people.statuses, {
          takesLong: creation.isStoredInParts,
        }),
      },
    );
    return { ...effects, result: populated };
  }).catch(answer(TeamNotFoundError, "not-a-team-member"));
}

/** Maximum number of members in one transaction, with two items each. */
const maxMembersInTransaction = 45;

/** A plan to store a conversation with its members, who may be too many for one transaction. */
interface Creation {
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
function planCreation(
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
