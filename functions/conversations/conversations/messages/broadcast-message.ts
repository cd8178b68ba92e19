import { guardMessages } from "#shared/conversations/legal-hold/guard.ts";
import { devicesOf } from "#shared/conversations/messages/devices-of.ts";
import type { Message } from "#shared/conversations/messages/message.ts";
import { checkSendingDevice, type Sending, send } from "#shared/conversations/messages/send.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";

/**
 * Send a message to the devices of the sender's team and contacts, unless a required device is missing. Each recipient
 * gets it in their own self conversation.
 *
 * @throws ApiError `no-team`, `too-many-users-to-broadcast`, `foreign-sending-device`,
 *   `missing-legalhold-consent`
 * @throws RateLimitedError while messages of the sender wait to be delivered
 * @see operation `post-proteus-broadcast`
 */
export function broadcastMessage(
  deps: Deps,
  { actor, message }: { actor: Actor; message: Message },
): Promise<Sending> {
  const { userId } = actor;
  return change(deps, async () => {
    const [account, contacts, refusal] = await Promise.all([
      deps.accounts.get(userId),
      contactsOf(deps, userId),
      deps.backlogs.refusalOf({ userId }),
    ]);
    if (account?.teamId === undefined) throw new ApiError("no-team");
    if (refusal !== undefined) throw refusal;
    const teamMates = await teamMatesOf(deps, account.teamId, message);
    const { ids: expected, underHold } = await devicesOf(deps, [...teamMates, ...contacts, userId]);
    checkSendingDevice(message, { actor, expected });
    await guardMessages(deps, { userIds: [...expected.keys()], underHold });
    return send(deps, message, {
      actor,
      expected,
      time: deps.clock(),
      group: userId,
      conversationOf: (recipientId) => recipientId,
    });
  });
}

async function contactsOf({ connections }: Deps, userId: string): Promise<string[]> {
  const contacts: string[] = [];
  for await (const { peerId, status } of connections.ofUser(userId))
    if (status === "accepted") contacts.push(peerId);
  return contacts;
}

/**
 * Members of a team who should get a message: all of them, or only those who are addressed or required.
 * @throws ApiError `too-many-users-to-broadcast` for a team too large for events to all members
 */
async function teamMatesOf(
  { settings: { maxFanoutSize }, teams }: Deps,
  teamId: string,
  { recipients, strategy }: Message,
): Promise<string[]> {
  if (recipients.size > maxFanoutSize) throw new ApiError("too-many-users-to-broadcast");
  if (strategy.kind === "report-only") {
    const named = new Set([...recipients.keys(), ...strategy.users]);
    if (named.size > maxFanoutSize) throw new ApiError("too-many-users-to-broadcast");
    return (await teams.getMembers(teamId, [...named])).map(({ userId }) => userId);
  }
  const [team, members] = await Promise.all([
    teams.get(teamId),
    teams.pageOfMembers(teamId, { limit: maxFanoutSize }),
  ]);
  if (team !== undefined && team.memberCount > maxFanoutSize)
    throw new ApiError("too-many-users-to-broadcast");
  return members.map(({ userId }) => userId);
}
