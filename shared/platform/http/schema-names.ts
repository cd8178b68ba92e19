/** Names of derived schemas in the API document. */

/** Name of the schema of errors: `NoConversationError` for `no-conversation`. */
export const errorNameOf = (label: string) => {
  const name = `${pascalCase(label).replace(/Error$/, "")}Error`;
  return namesOfRuntimes.has(name) ? `General${name}` : name;
};

/** Classes of the runtime that generators put into the package of the schemas (Kotlin). */
const namesOfRuntimes: ReadonlySet<string> = new Set(["ClientError", "ServerError"]);

/** Name of the schema of events: `ConversationMemberJoinEvent` for `conversation.member-join`. */
export const eventNameOf = (type: string) => `${pascalCase(type)}Event`;

const pascalCase = (text: string) =>
  text
    .split(/\W/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
