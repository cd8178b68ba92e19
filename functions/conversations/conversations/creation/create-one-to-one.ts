import { announce } from "#shared/conversations/announce.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { toConversationInEvent } from "#shared/conversations/conversation-view.ts";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { conversationCreate } from "#shared/conversations/events/lifecycle.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/members.ts";
import { newConversation } from "#shared/conversations/new-conversation.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { isPresent } from "#shared/teams/team.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import { type Candidates, checkAcquainted, readCandidates } from "../candidates.ts";
import type { Deps } from "../deps.ts";
import { checkLegalHold } from "../legal-hold.ts";
import type { QualifiedUser } from "../users-in-request.ts";
import type { EnsuredConversation } from "./self-conversations.ts";

/** A one-to-one conversation that a user wants. */
interface NewOneToOne {
  readonly actor: Actor;
  readonly peerId: string;
  readonly name?: string;
  /** Team that is to own it. */
  readonly teamId?: string;
}

/**
 * Create the conversation of two users, unless it exists. Both must be in the team that is to own it; without one, they
 * must be connected or share a team.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operations `create-one-to-one-conversation`
 */
export async function createOneToOne(
  deps: Deps,
  { users, ...options }: Omit<NewOneToOne, "peerId"> & { readonly users: readonly QualifiedUser[] },
): Promise<EnsuredConversation> {
  const { userId } = options.actor;
  const [peer, ...others] = users;
  if (peer === undefined || others.length > 0) throw new ApiError("client-error");
  if (peer.id === userId) throw new ApiError("invalid-op");
  if (!isLocalDomain(peer.domain, deps.settings)) throw new ApiError("not-connected");
  const peerId = peer.id;
  const { accounts } = deps;
  const wanted = { ...options, peerId };
  return change<EnsuredConversation>(deps, async () => {
    const [candidates, found] = await Promise.all([
      readCandidates(deps, { userId, candidateIds: [peerId] }),
      deps.conversations.getPopulated(oneToOneConversationId(userId, peerId)),
      checkCreator(deps, wanted),
    ]);
    checkPeer(candidates, wanted);
    await checkLegalHold(deps, candidates.accounts.values());
    const { writes = [], ...effects } =
      found === undefined ? create(deps, wanted) : complete(deps, wanted, found);
    // A user who blocks the other one meanwhile, or comes under legal hold, does not become a member.
    return {
      ...effects,
      writes:
        writes.length === 0
          ? []
          : [
              ...writes,
              ...candidates.requireContact(peerId),
              ...[...candidates.accounts.values()].map((account) => accounts.requireSameLegalHold(account)),
            ],
    };
  }).catch(answer(TeamNotFoundError, "no-team"));
}

/** @throws ApiError `not-a-team-member`, `operation-denied`, `no-team` */
async function checkCreator({ teams }: Deps, { actor: { userId }, teamId }: NewOneToOne): Promise<void> {
  if (teamId === undefined) return;
  const [team, member] = await Promise.all([teams.get(teamId), teams.getMember({ teamId, userId })]);
  checkMember(member, { permission: "CreateConversation" });
  if (team === undefined || !isPresent(team)) throw new ApiError("no-team");
}

/** @throws ApiError `non-binding-team-members`, `not-connected` */
function checkPeer(candidates: Candidates, { peerId, teamId }: NewOneToOne): void {
  if (teamId === undefined) checkAcquainted(candidates, [peerId]);
  else if (candidates.accounts.get(peerId)?.teamId !== teamId) throw new ApiError("non-binding-team-members");
}

function create(
  deps: Deps,
  { actor, name, peerId, teamId }: NewOneToOne,
): Partial<Change> & { result: EnsuredConversation } {
  const { userId } = actor;
  const populated = newConversation(
    {
      conversationId: oneToOneConversationId(userId, peerId),
      type: "one-to-one",
      creator: userId,
      name,
      teamId,
      members: [userId, peerId].map(toAdmin),
    },
    deps,
  );
  const { conversation, members } = populated;
  const { messages } = announce(deps, conversationCreate, {
    conversation,
    actor,
    recipients: members,
    data: toConversationInEvent(populated, deps.settings),
  });
  return {
    writes: [
      ...deps.conversations.create(conversation, members),
      ...(teamId === undefined ? [] : [deps.teams.requirePresent(teamId)]),
    ],
    messages,
    result: { ...populated, isNew: true },
  };
}

/** Make both users members: team mates may have blocked each other, or ignored a request, before they shared a team. */
function complete(
  deps: Deps,
  { actor, peerId }: NewOneToOne,
  { conversation, members }: PopulatedConversation,
): Partial<Change> & { result: EnsuredConversation } {
  const { conversations, settings } = deps;
  const { conversationId } = conversation;
  const userIds = [actor.userId, peerId];
  const absent = userIds.filter((userId) => !members.some((member) => member.userId === userId));
  if (absent.length === 0) return { result: { conversation, members, isNew: false } };
  const joining = absent.map((userId) => ({ conversationId, ...toAdmin(userId) }));
  const { next, writes } = conversations.change(conversation, { fields: { type: "one-to-one" }, joining });
  const { messages } = announce(deps, conversationMemberJoin, {
    conversation: next,
    actor,
    recipients: [...members, ...joining],
    data: joinData(joining, settings),
  });
  return {
    writes,
    messages,
    result: { conversation: next, members: [...members, ...joining], isNew: false },
  };
}

const toAdmin = (userId: string) => ({ userId, role: "admin" as const });
