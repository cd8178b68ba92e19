import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { ensureNamed } from "./self-conversations.ts";

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
