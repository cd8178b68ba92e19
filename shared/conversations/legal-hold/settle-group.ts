import type { Account } from "#shared/accounts/account.ts";
import {
  hasConsented,
  type LegalHoldStatus,
  readLegalHoldStatuses,
} from "#shared/accounts/legal-hold-status.ts";
import { announce } from "#shared/conversations/announce.ts";
import { orderRemovalProposals } from "#shared/conversations/conversation-job.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { removalsPerTransaction } from "#shared/conversations/remove-not-admitted.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { conversationMemberLeave, leaveData } from "../events/members.ts";
import type { SettlementDeps } from "./settle-connection.ts";

type GroupDeps = Omit<SettlementDeps, "clock" | "connections">;
type StatusOf = (member: ConversationMember) => LegalHoldStatus;

/**
 * The members who must leave a group because of legal hold: those who have not consented if an admin has, otherwise
 * those under legal hold, so that a group keeps its admins. Bots do not count.
 */
function leavingForLegalHold(
  members: readonly ConversationMember[],
  statusOf: StatusOf,
): ConversationMember[] {
  const users = members.filter(({ service }) => service === undefined);
  const held = users.filter((member) => statusOf(member) === "enabled");
  const objecting = users.filter((member) => !hasConsented(statusOf(member)));
  if (held.length === 0 || objecting.length === 0) return [];
  const isAdminConsenting = users.some((member) => member.role === "admin" && hasConsented(statusOf(member)));
  return isAdminConsenting ? objecting : held;
}

/**
 * Remove the members of a group whom legal hold keeps apart, some at a time. May be repeated.
 * @returns whether all of them have left; false when the time is up
 */
export async function settleGroup(
  deps: GroupDeps,
  conversationId: string,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const found = await deps.conversations.getPopulated(conversationId);
  if (found?.conversation.type !== "regular") return true;
  const { members } = found;
  const statuses = await readStatuses(deps, members);
  const known = leavingForLegalHold(members, ({ userId }) => statuses.get(userId) ?? "no_consent");
  for (const batch of chunks(known, removalsPerTransaction(members))) {
    if (isTimeUp()) return false;
    await removeBatch(deps, {
      conversationId,
      statuses,
      candidates: new Set(batch.map(({ userId }) => userId)),
    });
  }
  return true;
}

async function readStatuses(deps: GroupDeps, members: readonly ConversationMember[]) {
  const accounts = await deps.accounts.getMany(members.map(({ userId }) => userId));
  return readLegalHoldStatuses(deps, accounts);
}

interface Batch {
  readonly conversationId: string;
  /** Statuses of all members, read once at the beginning: few of them change, and groups are large. */
  readonly statuses: ReadonlyMap<string, LegalHoldStatus>;
  readonly candidates: ReadonlySet<string>;
}

/** Reads the decisive members again: those who may have to leave, and those under legal hold. */
function removeBatch(deps: GroupDeps, { conversationId, statuses, candidates }: Batch): Promise<void> {
  const { accounts, conversations } = deps;
  return change(deps, async () => {
    const found = await conversations.getPopulated(conversationId);
    if (found === undefined) return undefined;
    const { conversation, members } = found;
    const deciding = members.filter(
      ({ userId }) => candidates.has(userId) || statuses.get(userId) === "enabled",
    );
    const known = await accounts.getMany(deciding.map(({ userId }) => userId));
    const current = new Map([...statuses, ...(await readLegalHoldStatuses(deps, known))]);
    const leaving = leavingForLegalHold(members, ({ userId }) => current.get(userId) ?? "no_consent").filter(
      ({ userId }) => candidates.has(userId),
    );
    if (leaving.length === 0) return undefined;
    const { next, writes } = conversations.change(conversation, { leaving });
    return {
      writes: [...writes, ...requireLegalHold(deps, known)],
      messages: [
        ...announceLeaving(deps, { conversation: next, members }, leaving),
        ...orderRemovalProposals(
          deps.outbox,
          next,
          leaving.map(({ userId }) => userId),
        ),
      ],
    };
  });
}

/** A single member under legal hold is enough. */
const requireLegalHold = ({ accounts }: GroupDeps, known: readonly Account[]) =>
  known
    .filter(({ legalHoldStatus }) => legalHoldStatus === "enabled")
    .slice(0, 1)
    .map((account) => accounts.requireSameLegalHold(account));

const announceLeaving = (
  deps: GroupDeps,
  { conversation, members }: PopulatedConversation,
  leaving: readonly ConversationMember[],
) =>
  leaving.flatMap(
    ({ userId }) =>
      announce(deps, conversationMemberLeave, {
        conversation,
        actor: { userId },
        recipients: members,
        data: leaveData([userId], "left", deps.settings),
      }).messages,
  );
