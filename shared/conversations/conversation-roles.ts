import * as z from "zod";

/** The built-in roles; others cannot be created. */
export const conversationRoles = ["admin", "member"] as const;
export const conversationRole = z.enum(conversationRoles);
export type ConversationRole = z.infer<typeof conversationRole>;

/** The actions that roles allow, in the order of the interface. */
const allActions = [
  "add_conversation_member",
  "remove_conversation_member",
  "modify_conversation_name",
  "modify_conversation_message_timer",
  "modify_conversation_receipt_mode",
  "modify_conversation_access",
  "modify_other_conversation_member",
  "leave_conversation",
  "delete_conversation",
  "modify_add_permission",
] as const;

export const conversationAction = z.enum(allActions).meta({ id: "Action" });
export type ConversationAction = z.infer<typeof conversationAction>;

const actions: Readonly<Record<ConversationRole, readonly ConversationAction[]>> = {
  admin: allActions,
  member: ["leave_conversation"],
};

export const actionsOf = (role: ConversationRole): readonly ConversationAction[] => actions[role];

export const allows = (role: ConversationRole, action: ConversationAction) => actions[role].includes(action);

/** Whether a role allows all that another one allows. */
export const includesRole = (role: ConversationRole, other: ConversationRole) =>
  actions[other].every((action) => allows(role, action));

/** Name of a role in the interface: `<vendor>_admin` or `<vendor>_member`. */
export const roleName = (role: ConversationRole, vendor: string) => `${vendor}_${role}`;

/** The role of a name; undefined when there is no such role. */
export const roleNamed = (name: string, vendor: string): ConversationRole | undefined =>
  conversationRole.options.find((role) => roleName(role, vendor) === name);
