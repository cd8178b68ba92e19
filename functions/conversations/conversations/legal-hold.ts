import type { Account } from "#shared/accounts/account.ts";
import {
  isConflict,
  type LegalHoldStatus,
  readLegalHoldStatuses,
} from "#shared/accounts/legal-hold-status.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Deps } from "./deps.ts";

/** Legal hold status of each user, by user id. */
export type Statuses = ReadonlyMap<string, LegalHoldStatus>;

/**
 * Read the statuses of users who are to share a conversation, and check that legal hold does not keep them apart.
 * @throws ApiError `missing-legalhold-consent`
 */
export async function checkLegalHold(
  deps: Pick<Deps, "features" | "settings">,
  accounts: Iterable<Account>,
): Promise<Statuses> {
  const statuses = await readLegalHoldStatuses(deps, [...accounts]);
  if (isConflict(statuses.values())) throw new ApiError("missing-legalhold-consent");
  return statuses;
}

/** Read the statuses of users by their ids. */
export const readStatuses = async (
  deps: Pick<Deps, "accounts" | "features" | "settings">,
  userIds: readonly string[],
): Promise<Statuses> => readLegalHoldStatuses(deps, await deps.accounts.getMany(userIds));

/** Ids of the members who are users. Bots do not count. */
export const userMemberIds = (members: readonly ConversationMember[]): string[] =>
  members.filter(({ service }) => service === undefined).map(({ userId }) => userId);

/**
 * Create the job that settles a group whose members change while one of them may come under legal hold: when that
 * begins, the member's list may not have the group yet. It runs after the change.
 *
 * @param options.takesLong whether a member may be asked for approval, and give it, before the change is complete
 */
export function orderSettlement(
  { outbox }: Pick<Deps, "outbox">,
  conversationId: string,
  statuses: Statuses,
  { takesLong = false }: { readonly takesLong?: boolean } = {},
): OutboxMessage[] {
  const found = new Set(statuses.values());
  const isPossible = found.has("pending") || (takesLong && found.has("disabled") && found.has("no_consent"));
  return isPossible ? [orderConversationJob(outbox, { job: "settle-legal-hold", conversationId })] : [];
}
