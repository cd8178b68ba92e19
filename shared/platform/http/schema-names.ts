/** Names that schemas have in the API document when they are derived from something else. */

/** Name of the schema of errors: `NoConversationError` for `no-conversation`. */
export const errorNameOf = (label: string) => `${pascalCase(label).replace(/Error$/, "")}Error`;

/** Name of the schema of events: `ConversationMemberJoinEvent` for `conversation.member-join`. */
export const eventNameOf = (type: string) => `${pascalCase(type)}Event`;

const pascalCase = (text: string) =>
  text
    .split(/\W/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
