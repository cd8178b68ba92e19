import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { isMls, timeAfter } from "../conversation.ts";
import type { ConversationMember } from "../conversation-member.ts";
import { devicesOf, maxGuessedUsers } from "./devices-of.ts";
import type { Message } from "./message.ts";
import { checkSendingDevice, type Sending, send } from "./send.ts";

type Deps = Pick<
  ConversationDeps,
  "backlogs" | "clock" | "conversations" | "devices" | "dynamo" | "events" | "settings"
>;

interface Command {
  readonly actor: Actor;
  readonly conversationId: string;
  readonly message: Message;
  /** Checks the sender by its membership, while devices are read; absent for users. */
  readonly checkSender?: (sender: ConversationMember) => Promise<void>;
  /**
   * Checks whether the members may exchange messages, before the answer reveals anything about devices; absent for
   * bots, which always may.
   */
  readonly guard?: (group: {
    readonly members: readonly ConversationMember[];
    readonly underHold: ReadonlySet<string>;
  }) => Promise<void>;
}

/**
 * Send a message to the devices of a conversation's members, unless a required device is missing.
 *
 * It takes up to three round trips: the conversation together with the devices of the addressed users, who are probably
 * its members; the devices of members who are not addressed; the outbox. The guard may
 * read more.
 *
 * @throws ApiError `no-conversation`, `foreign-sending-device`, and what the checks throw
 * @throws RateLimitedError while messages of the conversation or the sender wait to be delivered
 * @see operation `post-proteus-message`
 */
export function sendMessage(
  deps: Deps,
  { actor, conversationId, message, checkSender, guard }: Command,
): Promise<Sending> {
  return change(deps, async () => {
    const guessed = [actor.userId, ...message.recipients.keys()];
    const [found, guess, refusal] = await Promise.all([
      deps.conversations.getPopulated(conversationId),
      guessed.length <= maxGuessedUsers ? devicesOf(deps, guessed) : undefined,
      deps.backlogs.refusalOf({ conversationId, userId: actor.userId }),
    ]);
    if (found === undefined || isMls(found.conversation)) throw new ApiError("no-conversation");
    const { conversation, members } = found;
    const memberIds = members.map(({ userId }) => userId);
    const sender = members.find(({ userId }) => userId === actor.userId);
    if (sender === undefined) throw new ApiError("no-conversation");
    if (refusal !== undefined) throw refusal;

    const [{ ids: expected, underHold }] = await Promise.all([
      devicesOf(deps, memberIds, guess),
      checkSender?.(sender),
    ]);
    checkSendingDevice(message, { actor, expected });
    await guard?.({ members, underHold });
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
