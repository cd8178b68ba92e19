import type {
  Access,
  AccessRole,
  AddPermission,
  GroupConversationType,
  Protocol,
} from "#shared/conversations/conversation.ts";
import type { ConversationRole } from "#shared/conversations/conversation-roles.ts";
import type { Actor } from "#shared/platform/http/route.ts";

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
  readonly messageTimer?: number;
  readonly receiptMode?: number;
  readonly addPermission?: AddPermission;
  readonly hasCells: boolean;
  /** Whether the creator stays outside. */
  readonly skipsCreator: boolean;
}
