import * as z from "zod";
import { countCharacters } from "#shared/platform/count-characters.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { fromStored, type Int64, toStored } from "#shared/platform/int64.ts";
import { protocol } from "#shared/registry/feature-configs.ts";

/** Kind of a conversation; a `connection` is one whose two users are not connected yet. */
export const conversationType = z.enum(["regular", "self", "one-to-one", "connection"]);
export type ConversationType = z.infer<typeof conversationType>;

/** Numbers of the kinds in the interface and in MLS group ids. */
export const typeNumbers = {
  regular: 0,
  self: 1,
  "one-to-one": 2,
  connection: 3,
} as const satisfies Record<ConversationType, number>;

export type Protocol = z.infer<typeof protocol>;

/** Receipt mode, as a number that only clients interpret. */
export const receiptMode = z.int32().meta({
  description: "Whether clients confirm that messages were read: 0 if not, otherwise as clients agree",
});

/** Ways to join. */
export const access = z.enum(["private", "invite", "link", "code"]).meta({
  id: "Access",
  description:
    "How users get in: `invite`: members add them; `link`: by the id of the conversation; `code`: by its guest link; " +
    "`private`: not at all",
});
export type Access = z.infer<typeof access>;

/** Kinds of users who may be members. */
export const accessRole = z.enum(["team_member", "non_team_member", "guest", "service"]).meta({
  id: "AccessRole",
  description:
    "Who may be a member: members of the conversation's team, activated users outside of it, users whose address is " +
    "not activated, and bots",
});
export type AccessRole = z.infer<typeof accessRole>;

export const groupConversationType = z.enum(["group_conversation", "channel"]).meta({
  id: "GroupConvType",
  description:
    "Whether a group is a channel: one of a team, encrypted by MLS, that `add_permission` applies to",
});
export type GroupConversationType = z.infer<typeof groupConversationType>;

/** The members who may add others to a channel. */
export const addPermission = z.enum(["everyone", "admins"]).meta({
  id: "AddPermission",
  description: "Whether all members or only admins add members to the channel",
});
export type AddPermission = z.infer<typeof addPermission>;

export const cellsState = z.enum(["disabled", "pending", "ready"]).meta({
  id: "CellsState",
  description: "Whether the Cells integration is told of members and metadata: not while it is `disabled`",
  examples: ["ready"],
});
export type CellsState = z.infer<typeof cellsState>;

/** The MLS group of a conversation or subconversation, as in its record. */
export const groupState = storedObject({
  /** base64 */
  groupId: z.string(),
  /** 0 until the first commit. */
  epoch: z.int(),
  /** Unix milliseconds of the last commit. */
  epochChangedAt: z.int().optional(),
  cipherSuite: z.int().optional(),
});
export type GroupState = z.infer<typeof groupState>;

/** A conversation as it is stored. */
export const conversationItem = storedItem(
  {
    table: "conversations",
    kind: "conversation",
    key: ["conversation#*", "conversation"],
    subject: {
      team: ["teamId"],
      otherwise: "shared by its members",
      mentions: "its creator, and for moments those who have left",
    },
  },
  storedObject({
    conversationId: z.uuid(),
    /** Increases with each change of the conversation or its members; a change names the revision that it is based on. */
    revision: z.int(),
    type: conversationType,
    /** Regular conversations only. */
    groupType: groupConversationType.optional(),
    protocol,
    creator: z.uuid().optional(),
    access: z.array(access),
    accessRoles: z.array(accessRole),
    name: z.string().optional(),
    teamId: z.uuid().optional(),
    /** Milliseconds after which clients remove messages; the service only announces it. */
    messageTimer: z.int().optional(),
    /** Its digits, if `messageTimer` is only the nearest number that can be stored. */
    messageTimerDigits: z.string().optional(),
    receiptMode: z.int().optional(),
    /** Channels only. */
    addPermission: addPermission.optional(),
    cellsState,
    memberCount: z.int(),
    /** MLS and mixed conversations only. */
    group: groupState.optional(),
    /**
     * Users who have left, until a job has marked their devices in the group and its subconversations. They get
     * nothing from there.
     */
    departed: z.array(z.uuid()).optional(),
    /** Unix milliseconds. */
    createdAt: z.int(),
    /** Time of the last change and its event; later than that of the previous change. */
    changedAt: z.int(),
    /** Whether it counts as unknown because its rows are being erased. */
    isDeleted: z.literal(true).optional(),
  }),
  {
    conversationId: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    revision: 1,
    type: "regular",
    protocol: "proteus",
    creator: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    access: ["invite"],
    accessRoles: ["team_member"],
    name: "Kitchen",
    cellsState: "disabled",
    memberCount: 2,
    createdAt: 0,
    changedAt: 0,
  },
);
export type Conversation = Stored<typeof conversationItem>;

/** Fields that a change may set; undefined removes a field. */
export type ConversationFields = Partial<
  Omit<Conversation, "conversationId" | "revision" | "memberCount" | "createdAt" | "changedAt" | "teamId">
>;

const maxNameLength = 256;

/** Whether a text has the length of a name. */
export const isConversationName = (text: string) => text !== "" && countCharacters(text) <= maxNameLength;

/** The name that a new conversation gets. */
export const conversationName = z
  .string()
  .refine(isConversationName, `has 1 to ${maxNameLength} characters`)
  .meta({ minLength: 1, maxLength: maxNameLength, description: "Name of the conversation" });

export const isChannel = ({ groupType }: Conversation) => groupType === "channel";

/** Whether only MLS commits add and remove members and devices. */
export const isMls = ({ protocol: ofConversation }: Pick<Conversation, "protocol">) =>
  ofConversation === "mls";

/** Whether the Cells integration is told of members and metadata. */
export const isForwardedToCells = ({ cellsState: state }: Conversation) => state !== "disabled";

/** Time of the next change: the clocks of functions differ, but a conversation's events must keep their order. */
export const timeAfter = ({ changedAt }: Pick<Conversation, "changedAt">, now: number) =>
  Math.max(now, changedAt + 1);

/** The message timer of a conversation in milliseconds. */
export const messageTimerOf = ({
  messageTimer,
  messageTimerDigits,
}: Pick<Conversation, "messageTimer" | "messageTimerDigits">): Int64 | undefined =>
  messageTimer === undefined ? undefined : fromStored(messageTimer, messageTimerDigits);

/** The fields of a conversation that hold its message timer. */
export function messageTimerFields(timer: Int64 | undefined) {
  const { number, digits } = timer === undefined ? {} : toStored(timer);
  return { messageTimer: number, messageTimerDigits: digits };
}
