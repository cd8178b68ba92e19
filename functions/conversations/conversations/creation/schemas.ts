import * as z from "zod";
import { supportedProtocol } from "#shared/accounts/account.ts";
import {
  access,
  accessRole,
  addPermission,
  conversationName,
  groupConversationType,
  receiptMode,
} from "#shared/conversations/conversation.ts";
import {
  conversationView,
  conversationViewOfOutsider,
  conversationViewV3,
} from "#shared/conversations/conversation-view.ts";
import { legacyAccessRole } from "#shared/conversations/legacy-access-role.ts";
import { mlsKeysByPurpose } from "#shared/devices/mls/removal-keys.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { int64 } from "#shared/platform/int64.ts";
import { roleName } from "../schemas.ts";

/** Maximum number of ids in a list of a request: more than any conversation has members. */
const maxUsers = 10_000;

const name = conversationName.nullish();
const users = z
  .array(wire.userId)
  .max(maxUsers)
  .nullish()
  .meta({ deprecated: true, description: "Ids of users of this domain, in addition to `qualified_users`" });
const qualifiedUsers = z
  .array(wire.qualifiedId)
  .max(maxUsers)
  .nullish()
  .meta({ description: "Without yourself" });
const team = z
  .object({
    teamid: wire.uuid.meta({ description: "Id of your team" }),
    managed: z.unknown().optional().meta({ deprecated: true, description: "Ignored" }),
  })
  .meta({ id: "ConvTeamInfo" })
  .nullish()
  .meta({ description: "Team that is to own the conversation" });

const group = z.object({
  users,
  qualified_users: qualifiedUsers,
  name,
  access: z.array(access).nullish().meta({ description: "`invite` by default" }),
  team,
  message_timer: int64().nullish().meta({ description: "Milliseconds after which clients remove messages" }),
  receipt_mode: receiptMode.nullish().meta({
    description: "Whether clients confirm that messages were read; always 0 with MLS",
  }),
  conversation_role: roleName.nullish().meta({ description: "Role of the users; admin by default" }),
  protocol: supportedProtocol.nullish().meta({
    description: "Proteus by default; members of MLS groups are added by commits",
  }),
  group_conv_type: groupConversationType.nullish(),
  cells: z
    .boolean()
    .nullish()
    .meta({ description: "Whether the Cells integration is told of members and metadata" }),
});
const accessRoles = z
  .array(accessRole)
  .nullish()
  .meta({ description: "`team_member`, `non_team_member` and `service` by default" });

const examples = [
  {
    qualified_users: [{ domain: "example.org", id: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60" }],
    name: "Analytical engines",
  },
];

export const newGroupV2 = group
  .extend({
    access_role: legacyAccessRole.nullish(),
    access_role_v2: accessRoles.meta({ description: "Takes precedence over `access_role`" }),
  })
  .meta({ id: "NewConvV2", examples });
export const newGroupV3 = group.extend({ access_role: accessRoles }).meta({ id: "NewConvV3", examples });
export const newGroupV8 = newGroupV3
  .extend({
    add_permission: addPermission
      .nullish()
      .meta({ description: "Who may add members to a channel; by default `everyone`" }),
  })
  .meta({ id: "NewConvV8", examples });
export const newGroup = newGroupV8
  .extend({
    skip_creator: z
      .boolean()
      .nullish()
      .meta({ description: "Whether you create a channel of your team without joining it" }),
  })
  .meta({ id: "NewConv", examples });

const failedToAdd = { failed_to_add: z.array(wire.qualifiedId).meta({ description: "Always empty" }) };
export const createdGroupV4 = conversationViewV3
  .extend(failedToAdd)
  .meta({ id: "CreateGroupConversationV4" });
export const createdGroupV6 = conversationView.extend(failedToAdd).meta({ id: "CreateGroupConversationV6" });
export const createdGroup = conversationViewOfOutsider
  .extend(failedToAdd)
  .meta({ id: "CreateGroupConversation" });

export const newOneToOne = z
  .object({ users, qualified_users: qualifiedUsers, name, team })
  .meta({ id: "NewOne2OneConv", examples });

export const userPath = z.object({ usr_domain: wire.domain, usr: wire.userId });

export const mlsOneToOneView = z
  .object({
    conversation: conversationView,
    public_keys: mlsKeysByPurpose.meta({ description: "The external senders that the group must name" }),
  })
  .meta({ id: "MLSOne2OneConversation" });
