/** How the files in the archive of a team are called. */

export const itemsFile = (kind: string) => `items/${kind}.jsonl`;
export const conversationsFile = itemsFile("conversations/conversation");
export const personFile = (userId: string) => `members/${userId}.json`;
export const isPersonFile = (name: string) => name.startsWith("members/");
/** Lines by which an import creates the team anew. */
export const userLinesFile = "users.jsonl";
