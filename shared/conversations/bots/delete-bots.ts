import { tombstoneOf } from "#shared/accounts/account.ts";
import { orderErasure } from "#shared/accounts/erasure-order.ts";
import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { Conversation } from "../conversation.ts";
import type { ConversationMember } from "../conversation-member.ts";

/**
 * Dependencies of deleting bots. Uses the tables accounts, services and outbox (all write), and sends to `erasures`.
 */
export type BotDeletionDeps = Pick<ConversationDeps, "accounts" | "bots" | "outbox">;

/**
 * Create the writes that delete the accounts of bots among some members: a bot ends with its membership, which another
 * write of the same transaction removes. Takes three items for each bot, and reads nothing if there is none.
 */
export async function deleteBots(
  { accounts, bots, outbox }: BotDeletionDeps,
  { teamId }: Pick<Conversation, "teamId">,
  members: readonly Pick<ConversationMember, "userId" | "service">[],
): Promise<Pick<Change, "writes" | "messages">> {
  const leaving = members.flatMap(({ userId, service }) =>
    service === undefined ? [] : [{ userId, service }],
  );
  if (leaving.length === 0) return { writes: [], messages: [] };
  const found = await accounts.getMany(leaving.map(({ userId }) => userId));
  const present = found.filter(({ status }) => status !== "deleted");
  return {
    writes: [
      ...present.flatMap((account) => accounts.save(account, tombstoneOf(account))),
      ...leaving.map(({ userId, service }) =>
        bots.remove({ botId: userId, providerId: service.provider, serviceId: service.id, teamId }),
      ),
    ],
    messages: leaving.map(({ userId }) =>
      orderErasure(outbox, { userId, isBot: true, activationKeys: [], assetKeys: [] }),
    ),
  };
}
