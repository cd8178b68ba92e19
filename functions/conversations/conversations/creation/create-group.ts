import { announce } from "#shared/conversations/announce.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { toConversationInEvent } from "#shared/conversations/conversation-view.ts";
import { conversationCreate } from "#shared/conversations/events/lifecycle.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { orderSettlement } from "../legal-hold.ts";
import { checkNumberOfUsers, checkOwnTeam, checkRights, checkUsers, readPeople } from "./check-new-group.ts";
import { planCreation } from "./creation.ts";
import { buildGroup, type NewGroup } from "./new-group.ts";

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
