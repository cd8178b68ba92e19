import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { announce } from "./announce.ts";
import type { PopulatedConversation } from "./conversation-store.ts";
import { conversationMemberJoin, conversationMemberLeave, joinData, leaveData } from "./events/members.ts";

/**
 * Create the events about users whom a commit has added and removed, at most one of each kind.
 * @param change.members of the conversation before the change
 */
export function announceMembers(
  deps: { readonly events: EventPublisher; readonly settings: Settings },
  {
    conversation,
    actor,
    members,
    joining,
    leaving,
  }: PopulatedConversation & {
    readonly actor: Actor;
    readonly joining: readonly string[];
    readonly leaving: readonly string[];
  },
) {
  // Users whom a commit adds may do nothing but leave.
  const newcomers = joining.map((userId) => ({ userId, role: "member" as const }));
  const announcement = { conversation, actor };
  const joins =
    joining.length === 0
      ? []
      : [
          announce(deps, conversationMemberJoin, {
            ...announcement,
            recipients: [...members, ...newcomers],
            data: joinData(newcomers, deps.settings),
          }),
        ];
  const leaves =
    leaving.length === 0
      ? []
      : [
          announce(deps, conversationMemberLeave, {
            ...announcement,
            recipients: members,
            data: leaveData(leaving, "removed", deps.settings),
          }),
        ];
  const all = [...joins, ...leaves];
  return { events: all.map(({ event }) => event), messages: all.flatMap(({ messages }) => messages) };
}
