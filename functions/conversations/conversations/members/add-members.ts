import { isChannel } from "#shared/conversations/conversation.ts";
import { type ConversationRole, includesRole } from "#shared/conversations/conversation-roles.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/members.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { type Candidates, checkSize, readCandidates, rereadAccounts } from "../candidates.ts";
import { type ChangeCommand, carryOut } from "../change-conversation.ts";
import { administersChannel, checkAction, readForChange, type Subject } from "../check-action.ts";
import type { Deps } from "../deps.ts";
import { orderSettlement } from "../legal-hold.ts";
import {
  checkLegalHoldOfNewcomers,
  checkNewcomers,
  checkTeamRights,
  removeFirstBatch,
} from "./check-newcomers.ts";

interface AddCommand extends ChangeCommand {
  readonly userIds: readonly string[];
  /** Whether the request also names users of other domains. */
  readonly hasRemoteUsers: boolean;
  /** By default the highest that the acting user may give. */
  readonly role: ConversationRole | undefined;
}

/**
 * Each member takes two writes. Others are for the conversation, the condition on the team, the event, its copy for
 * Cells, and the audit record.
 */
const maxUsersPerTransaction = 47;

/**
 * Add users to a conversation. If they do not fit into one transaction, several follow each other, each with its own
 * event; if that stops half-way, repeating the request adds the rest.
 *
 * @returns an event that names everybody added; undefined when all are already members
 * @throws ApiError those of `changeConversation`, `action-denied`, `too-many-members`, `access-denied`,
 *   `not-a-team-member`, `not-connected`, `missing-legalhold-consent`, `invalid-op`
 * @see operation `add-members-to-conversation` and its older forms
 */
export async function addMembers(deps: Deps, { actor, conversationId, ...command }: AddCommand) {
  const { userId } = actor;
  const userIds = [...new Set(command.userIds)];
  let reading: Promise<Candidates> | undefined;
  const candidates = () => {
    reading ??= readCandidates(deps, { userId, candidateIds: userIds });
    return reading;
  };
  // Anybody can name thousands of users, so many are read only once it is known that the caller may add them. A few are
  // read at the same time as the conversation; a failure is reported where the result is awaited.
  if (userIds.length <= maxUsersPerTransaction) candidates().catch(() => undefined);

  /** @param known the conversation after the previous part */
  const addPart = (known?: Subject) =>
    change(deps, async (attempt) => {
      const isKnown = known !== undefined && attempt === 1;
      const subject = isKnown ? known : await readForChange(deps, { userId, conversationId });
      checkAction(subject, "add_conversation_member");
      const role = roleToGive(subject, command.role);
      const present = new Set(subject.members.map((member) => member.userId));
      const newcomers = userIds.filter((id) => !present.has(id));
      checkSize(subject.conversation, newcomers.length, deps.settings);
      const read = await candidates();
      // Seconds may have passed since the first part.
      const found =
        known === undefined && attempt === 1
          ? read
          : await rereadAccounts(deps, read, newcomers.slice(0, maxUsersPerTransaction));
      checkNewcomers(subject, found, { ...command, newcomers });
      const legalHold = await checkLegalHoldOfNewcomers(deps, subject, { candidates: found, newcomers });
      checkTeamRights(subject);
      if (newcomers.length === 0) return { result: undefined };
      if (legalHold.objecting.length > 0)
        return removeFirstBatch(deps, { subject, actor }, legalHold.objecting);

      const orders = orderSettlement(deps, conversationId, legalHold.statuses);
      const joining = newcomers
        .slice(0, maxUsersPerTransaction - orders.length)
        .map((id) => ({ conversationId, userId: id, role }));
      const { members } = subject;
      const addType = isChannel(subject.conversation) ? "external_add" : "internal_add";
      const data = joinData(joining, deps.settings, addType);
      const spec = conversationMemberJoin;
      const { next, event, ...effects } = carryOut(deps, { subject, actor, spec }, { joining, data });
      const changed = { ...subject, conversation: next, members: [...members, ...joining] };
      const rest = newcomers.length > joining.length ? changed : undefined;
      return { ...combine(effects, { messages: orders }), result: { events: [event], rest } };
    });

  type Part = Awaited<ReturnType<typeof addPart>>;
  const events: NonNullable<Part>["events"] = [];
  for (let part: Part = await addPart(); part; part = part.rest && (await addPart(part.rest))) {
    events.push(...part.events);
  }
  const last = events.at(-1);
  if (last === undefined) return undefined;
  const users = events.flatMap(({ data }) => data.users);
  return { ...last, data: { ...last.data, users, user_ids: users.map(({ id }) => id) } };
}

/**
 * The role for new members.
 * @throws ApiError `action-denied` when it allows more than the acting user's own
 */
function roleToGive(subject: Subject, requested: ConversationRole | undefined): ConversationRole {
  const { self } = subject;
  const highest = self === undefined || administersChannel(subject) ? "admin" : self.role;
  if (requested !== undefined && !includesRole(highest, requested)) throw new ApiError("action-denied");
  return requested ?? highest;
}
