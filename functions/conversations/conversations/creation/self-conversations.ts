import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { mlsSelfConversationId, selfConversationId } from "#shared/conversations/derived-ids.ts";
import { type NewConversation, newConversation } from "#shared/conversations/new-conversation.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";

type SelfDeps = Pick<Deps, "accounts" | "clock" | "conversations" | "dynamo" | "settings">;

/** A conversation, and whether it is new. */
export interface EnsuredConversation extends PopulatedConversation {
  readonly isNew: boolean;
}

/**
 * Create the conversation of a user with their own devices, unless it exists. Sends no event.
 * @throws ApiError `not-found` when the account is deleted; access tokens outlive it by some minutes
 */
export const ensureSelfConversation = (deps: SelfDeps, userId: string): Promise<EnsuredConversation> =>
  ensure(deps, userId, { conversationId: selfConversationId(userId), protocol: "proteus" });

/**
 * Create the MLS conversation of a user with their own devices, unless it exists. Sends no event.
 * @throws ApiError `not-found` when the account is deleted
 */
export const ensureMlsSelfConversation = (deps: SelfDeps, userId: string): Promise<EnsuredConversation> =>
  ensure(deps, userId, { conversationId: mlsSelfConversationId(userId), protocol: "mls" });

const ensure = (
  deps: SelfDeps,
  userId: string,
  fields: Pick<NewConversation, "conversationId" | "protocol">,
): Promise<EnsuredConversation> =>
  change<EnsuredConversation>(deps, async () => {
    const found = await deps.conversations.getPopulated(fields.conversationId);
    if (found !== undefined) return { result: { ...found, isNew: false } };
    const members = [{ userId, role: "admin" as const }];
    const created = newConversation({ ...fields, type: "self", creator: userId, members }, deps);
    return {
      writes: [
        deps.accounts.requireNotDeleted(userId),
        ...deps.conversations.create(created.conversation, created.members),
      ],
      result: { ...created, isNew: true },
    };
  }).catch(answer(AccountNotFoundError, "not-found"));
