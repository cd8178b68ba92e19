import { randomUUID } from "node:crypto";
import type {
  Access,
  AccessRole,
  AddPermission,
  GroupConversationType,
  Protocol,
} from "#shared/conversations/conversation.ts";
import type { ConversationRole } from "#shared/conversations/conversation-roles.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { messageTimerFields } from "#shared/conversations/message-timer.ts";
import { newConversation } from "#shared/conversations/new-conversation.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Int64 } from "#shared/platform/int64.ts";
import type { Deps } from "../deps.ts";

/** A group that a user wants to create. */
export interface NewGroup {
  readonly actor: Actor;
  /** The other users, each once. */
  readonly userIds: readonly string[];
  readonly role: ConversationRole;
  readonly groupType: GroupConversationType;
  readonly protocol: Exclude<Protocol, "mixed">;
  readonly access: Access[];
  readonly accessRoles: AccessRole[];
  readonly name?: string;
  readonly teamId?: string;
  readonly messageTimer?: Int64;
  readonly receiptMode?: number;
  readonly addPermission?: AddPermission;
  readonly hasCells: boolean;
  /** Whether the creator stays outside. */
  readonly skipsCreator: boolean;
}

/**
 * Create the group with its members, to be stored. Each attempt uses a new id, because members stored by an earlier
 * attempt may be about to be removed.
 */
export function buildGroup(deps: Pick<Deps, "clock" | "settings">, group: NewGroup): PopulatedConversation {
  const { actor, addPermission, groupType, hasCells, protocol, role, skipsCreator, userIds } = group;
  const creator = skipsCreator ? undefined : actor.userId;
  return newConversation(
    {
      conversationId: randomUUID(),
      type: "regular",
      groupType,
      protocol,
      creator,
      access: group.access,
      accessRoles: group.accessRoles,
      name: group.name,
      teamId: group.teamId,
      ...messageTimerFields(group.messageTimer),
      receiptMode: group.receiptMode,
      addPermission: groupType === "channel" ? (addPermission ?? "everyone") : undefined,
      cellsState: hasCells ? "pending" : "disabled",
      members: [
        ...(creator === undefined ? [] : [{ userId: creator, role: "admin" as const }]),
        ...userIds.map((userId) => ({ userId, role })),
      ],
    },
    deps,
  );
}
