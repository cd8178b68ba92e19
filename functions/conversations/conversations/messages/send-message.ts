import { isMls, timeAfter } from "#shared/conversations/conversation.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { guardMessages } from "#shared/legal-hold/guard.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { usersAmong } from "../legal-hold.ts";
import { devicesOf, maxGuessedUsers } from "./devices-of.ts";
import type { Message } from "./message.ts";
import { checkSendingDevice, type Sending, send } from "./send.ts";

/**
 * Send a message to the devices of a conversation's members, unless a required device is missing.
 *
 * It takes up to three round trips: the conversation together with the devices of the addressed users, who are probably
 * its members; the devices of members who are not addressed; the outbox. If a member is under legal hold, one more
 * reads whether all have consented.
 *
 * @throws ApiError `no-conversation`, `foreign-sending-device`, `missing-legalhold-consent`
 * @see operation `post-proteus-message`
 */
export function sendMessage(
  deps: Deps,
  { actor, conversationId, message }: { actor: Actor; conversationId: string; message: Message },
): Promise<Sending> {
  return change(deps, async () => {
    const guessed = [actor.userId, ...message.recipients.keys()];
    const [found, guess] = await Promise.all([
      deps.conversations.getPopulated(conversationId),
      guessed.length <= maxGuessedUsers ? devicesOf(deps, guessed) : undefined,
    ]);
    if (found === undefined || isMls(found.conversation)) throw new ApiError("no-conversation");
    const { conversation, members } = found;
    const memberIds = members.map(({ userId }) => userId);
    if (!memberIds.includes(actor.userId)) throw new ApiError("no-conversation");

    const { ids: expected, underHold } = await devicesOf(deps, memberIds, guess);
    checkSendingDevice(message, { actor, expected });
    await guardMessages(deps, { userIds: usersAmong(members), underHold });
    return send(deps, message, {
      actor,
      expected,
      time: timeAfter(conversation, deps.clock()),
      group: conversationGroup(conversationId),
      conversationOf: () => conversationId,
      bots: new Map(members.filter(({ service }) => service !== undefined).map((bot) => [bot.userId, bot])),
    });
  });
}
