import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { Conversation } from "#shared/conversations/conversation.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { refuseSecondFactorOf } from "#shared/services/second-factor-guard.ts";
import type { Deps } from "../deps.ts";

/** The user who wants to change the bots of a conversation, and the conversation. */
export interface Request {
  readonly userId: string;
  readonly conversationId: string;
}

/** The data of both, as read. */
export interface Subject {
  /** Undefined for a deleted account: an access token outlives it by some minutes. */
  readonly account: Account | undefined;
  readonly found: PopulatedConversation | undefined;
}

/** Read the user who wants to change the bots of a conversation, and the conversation. */
export async function readSubject(
  { accounts, clock, conversations }: Pick<Deps, "accounts" | "clock" | "conversations">,
  { userId, conversationId }: Request,
): Promise<Subject> {
  const [account, found] = await Promise.all([
    accounts.get(userId),
    conversations.getPopulated(conversationId),
  ]);
  const isGone = account === undefined || currentStatus(account, clock()) === "deleted";
  return { account: isGone ? undefined : account, found };
}

/** @throws ApiError `second-factor-required` where the user's team, or the server, demands a second factor */
export const guardCaller = (
  deps: Pick<Deps, "features" | "settings">,
  { account }: Pick<Subject, "account">,
) => refuseSecondFactorOf(deps, account);

/**
 * Check that a user administers the conversation, whatever kind it is.
 * @throws ApiError `no-conversation`, `not-conversation-admin`
 */
export function checkAdmin(
  { found }: Pick<Subject, "found">,
  { userId }: Pick<Request, "userId">,
): PopulatedConversation {
  const self = found?.members.find((member) => member.userId === userId);
  if (found === undefined || self === undefined) throw new ApiError("no-conversation");
  if (self.role !== "admin") throw new ApiError("not-conversation-admin");
  return found;
}

/** @throws ApiError `invalid-conversation` for anything but a group */
export function checkGroup({ type }: Conversation): void {
  if (type !== "regular") throw new ApiError("invalid-conversation");
}
