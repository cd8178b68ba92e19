import * as z from "zod";
import { toUtcSecond, utcSecond } from "#shared/platform/http/wire-types.ts";
import { int64 } from "#shared/platform/int64.ts";
import { protocol } from "#shared/registry/feature-configs.ts";
import type { Settings } from "#shared/registry/settings.ts";
import {
  type AccessRole,
  access,
  accessRole,
  addPermission,
  type Conversation,
  cellsState,
  groupConversationType,
  messageTimerOf,
  receiptMode,
  typeNumbers,
} from "./conversation.ts";
import type { ConversationMember } from "./conversation-member.ts";
import type { PopulatedConversation } from "./conversation-store.ts";
import { qualifiedConversationId } from "./events/conversation-event.ts";
import { legacyAccessRole, toLegacyAccessRole } from "./legacy-access-role.ts";
import { otherMemberView, selfMemberView, toOtherMemberView, toSelfMemberView } from "./member-view.ts";

const membersView = z
  .object({
    self: selfMemberView,
    others: z.array(otherMemberView).meta({ description: "All other members" }),
  })
  .meta({ id: "ConvMembers" });
/** Members of a conversation, for callers who need not be in it. */
const membersWithoutSelf = membersView
  .extend({ self: selfMemberView.optional() })
  .meta({ id: "MembersWithoutSelf" });

/** Fields that are the same in all versions. */
const common = {
  qualified_id: qualifiedConversationId,
  id: z.uuid().meta({ description: "Id of the conversation" }),
  // A range, because a generator for Kotlin writes enumerations of numbers that do not compile.
  type: z
    .int()
    .min(0)
    .max(3)
    .meta({ id: "ConvType", description: "0: group, 1: self, 2: one-to-one, 3: pending connection" }),
  creator: z.uuid().nullable().meta({ description: "Id of the creator; null if the creator did not join" }),
  access: z.array(access),
  name: z.string().nullable().meta({ description: "Null: members see the names of the others" }),
  last_event: z.literal("0.0").meta({ deprecated: true }),
  last_event_time: z.literal("1970-01-01T00:00:00.000Z").meta({ deprecated: true }),
  team: z.uuid().nullable().meta({ description: "Team that owns the conversation" }),
  message_timer: int64().nullable().meta({
    description: "Milliseconds after which clients remove messages",
  }),
  receipt_mode: receiptMode.nullable(),
  group_conv_type: groupConversationType.nullable().meta({ description: "Groups only" }),
  add_permission: addPermission.nullable().meta({ description: "Who may add members; channels only" }),
  cells_state: cellsState,
  protocol,
  members: membersView,
};

const groupId = z.string().meta({ id: "GroupId", description: "Id of the MLS group in base64" });
const epoch = z.int().meta({ description: "Epoch of the MLS group" });
const cipherSuite = z.int().meta({ description: "Cipher suite of the MLS group (RFC 9420 §17.1)" });

/** The MLS group up to version 5: Proteus conversations have none. */
const groupV3 = {
  group_id: groupId.optional(),
  epoch: epoch.optional(),
  epoch_timestamp: utcSecond.nullish().meta({ description: "Null in epoch 0" }),
  cipher_suite: cipherSuite.optional(),
};

/** A conversation from version 6 on. */
export const conversationView = z
  .object({
    ...common,
    access_role: z.array(accessRole),
    group_id: groupId.optional(),
    epoch: epoch.optional(),
    epoch_timestamp: utcSecond.optional().meta({ description: "When the epoch began; absent in epoch 0" }),
    cipher_suite: cipherSuite.optional(),
  })
  .meta({ id: "Conversation", description: "A conversation as one of its members sees it" });

/** A conversation without its members, for callers who need not be in it. */
export const conversationMetadata = conversationView.omit({ members: true }).meta({
  id: "ConversationMetadata",
  description: "A conversation without its members",
});

/** A conversation in versions 3 to 5. */
export const conversationViewV3 = z
  .object({ ...common, access_role: z.array(accessRole), ...groupV3 })
  .meta({ id: "ConversationV3", description: "A conversation as one of its members sees it" });

/** A conversation before version 3. */
export const conversationViewV2 = z
  .object({ ...common, access_role: legacyAccessRole, access_role_v2: z.array(accessRole), ...groupV3 })
  .meta({ id: "ConversationV2", description: "A conversation as one of its members sees it" });

/** A conversation as seen by a user who need not be a member. */
export const conversationViewOfOutsider = conversationView
  .extend({ members: membersWithoutSelf })
  .meta({ id: "ConversationOfOutsider" });

/** A new conversation in an event, in the form of version 2. */
export const conversationInEvent = conversationViewV2
  .extend({ members: membersWithoutSelf })
  .meta({ id: "ConversationInEvent" });

type Names = Pick<Settings, "domain" | "vendor">;

/** Show a conversation to one of its members, in the form of version 6 and later. */
export const toConversationView = (
  { conversation, members }: PopulatedConversation,
  userId: string,
  names: Names,
): z.input<typeof conversationView> => ({
  ...toConversationMetadata(conversation, names),
  members: toMembersView(members, userId, names),
});

/** Show a conversation without its members. */
export const toConversationMetadata = (
  conversation: Conversation,
  names: Names,
): z.input<typeof conversationMetadata> => ({
  ...toCommonFields(conversation, names),
  access_role: conversation.accessRoles,
  ...toGroupFields(conversation),
});

/** Show a conversation to a user who is not a member. */
export const toConversationViewOfOutsider = (
  { conversation, members }: PopulatedConversation,
  names: Names,
): z.input<typeof conversationViewOfOutsider> => ({
  ...toCommonFields(conversation, names),
  access_role: conversation.accessRoles,
  ...toGroupFields(conversation),
  members: { others: members.map((member) => toOtherMemberView(member, names)) },
});

/** The cipher suite shown until the first commit chooses one. */
const defaultCipherSuite = 1;

/** Turn a view of a conversation into that of versions 3 to 5. */
export const toConversationViewV3 = <View extends { readonly group_id?: string }>(view: View) =>
  view.group_id === undefined ? view : { epoch_timestamp: null, cipher_suite: defaultCipherSuite, ...view };

/** Turn a view of a conversation into that before version 3. */
export const toConversationViewV2 = <
  View extends { readonly group_id?: string; readonly access_role: AccessRole[] },
>(
  view: View,
) => ({
  ...toConversationViewV3(view),
  access_role: toLegacyAccessRole(view.access_role),
  access_role_v2: view.access_role,
});

/** Show a new conversation to all of its members; each sees themselves apart when the event arrives. */
export const toConversationInEvent = (
  populated: PopulatedConversation,
  names: Names,
): z.input<typeof conversationInEvent> =>
  toConversationViewV2(toConversationViewOfOutsider(populated, names));

const toCommonFields = (conversation: Conversation, { domain }: Names) => ({
  qualified_id: { domain, id: conversation.conversationId },
  id: conversation.conversationId,
  type: typeNumbers[conversation.type],
  creator: conversation.creator ?? null,
  access: conversation.access,
  name: conversation.name ?? null,
  last_event: "0.0" as const,
  last_event_time: "1970-01-01T00:00:00.000Z" as const,
  team: conversation.teamId ?? null,
  message_timer: messageTimerOf(conversation) ?? null,
  receipt_mode: conversation.receiptMode ?? null,
  group_conv_type: conversation.groupType ?? null,
  add_permission: conversation.addPermission ?? null,
  cells_state: conversation.cellsState,
  protocol: conversation.protocol,
});

function toGroupFields({ group }: Conversation) {
  if (group === undefined) return {};
  const { groupId: id, epoch: current, epochChangedAt, cipherSuite: suite } = group;
  return {
    group_id: id,
    epoch: current,
    ...(current > 0 && {
      cipher_suite: suite,
      ...(epochChangedAt !== undefined && { epoch_timestamp: toUtcSecond(epochChangedAt) }),
    }),
  };
}

function toMembersView(
  members: readonly ConversationMember[],
  userId: string,
  names: Names,
): z.input<typeof membersView> {
  const { own: [self] = [], others = [] } = Object.groupBy(members, (member) =>
    member.userId === userId ? "own" : "others",
  );
  if (self === undefined) throw new Error(`User ${userId} is not a member`);
  return {
    self: toSelfMemberView(self, names),
    others: others.map((member) => toOtherMemberView(member, names)),
  };
}
