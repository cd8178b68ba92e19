/** How the files in the archive of a team are called. */

export const itemsFile = (kind: string) => `items/${kind}.jsonl`;
export const conversationsFile = itemsFile("conversations/conversation");
export const personFile = (userId: string) => `members/${userId}.json`;
export const isPersonFile = (name: string) =>
  /^members\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.json$/.test(name);
/** Lines by which an import creates the team anew. */
export const userLinesFile = "users.jsonl";
