import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { mlsSelfConversationId, selfConversationId } from "#shared/conversations/derived-ids.ts";
import { type NewConversation, newConversation } from "#shared/conversations/new-conversation.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
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

/**
 * Create a self conversation of a user when it is first named: to clients, every account has had its own from the
 * beginning.
 *
 * @param options.conversationId id of any conversation
 * @returns whether it is a self conversation of the user, which exists now
 */
export async function ensureNamed(
  deps: SelfDeps,
  { userId, conversationId }: { userId: string; conversationId: string },
): Promise<boolean> {
  const protocol = protocolOf(deps, userId).get(conversationId);
  if (protocol === undefined) return false;
  try {
    // Not recorded as a change by the user.
    await store(deps, userId, { conversationId, protocol }, { isGuarded: false });
    return true;
  } catch (error) {
    if (error instanceof AccountNotFoundError) return false;
    throw error;
  }
}

/** The self conversations of a user, with their protocols. */
const protocolOf = ({ settings }: Pick<Deps, "settings">, userId: string) =>
  new Map<string, "proteus" | "mls">([
    [selfConversationId(userId), "proteus"],
    ...(settings.setEnableMLS ? [[mlsSelfConversationId(userId), "mls"] as const] : []),
  ]);

const ensure = (...parameters: Parameters<typeof store>): Promise<EnsuredConversation> =>
  store(...parameters).catch(answer(AccountNotFoundError, "not-found"));

const store = (
  deps: SelfDeps,
  userId: string,
  fields: Pick<NewConversation, "conversationId" | "protocol">,
  options?: { readonly isGuarded: boolean },
): Promise<EnsuredConversation> =>
  change<EnsuredConversation>(
    deps,
    async () => {
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
    },
    options,
  );

/** The parts of a request that name a user and a conversation. */
interface Naming {
  readonly actor?: { readonly userId?: string };
  readonly params?: { readonly cid?: string };
}

/**
 * Let operations on a conversation find the caller's self conversation, even if it was never named before. Other
 * requests pay nothing: if an operation does not find it, it is created and the operation runs again.
 */
export function withSelfConversations<Operations extends object>(
  deps: Deps,
  operations: Operations,
): Operations {
  const wrap =
    <Answer>(operation: (input: Naming) => Promise<Answer>) =>
    async (input: Naming): Promise<Answer> => {
      try {
        return await operation(input);
      } catch (error) {
        const isUnknown = error instanceof ApiError && error.error === "no-conversation";
        if (!isUnknown || !(await ensureOwn(deps, input))) throw error;
        return operation(input);
      }
    };
  return Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [id, wrap(operation)]),
  ) as Operations;
}

async function ensureOwn(deps: Deps, { actor, params }: Naming): Promise<boolean> {
  const conversationId = params?.cid;
  if (conversationId === undefined) return false;
  const userId = actor === undefined ? await userNamed(deps, conversationId) : actor.userId;
  return userId !== undefined && ensureNamed(deps, { userId, conversationId });
}

/** The internal API asks for no user in particular. Bots have accounts, but no conversation with themselves. */
async function userNamed({ accounts }: Pick<Deps, "accounts">, id: string): Promise<string | undefined> {
  const account = await accounts.get(id);
  return account === undefined || account.service !== undefined ? undefined : id;
}
