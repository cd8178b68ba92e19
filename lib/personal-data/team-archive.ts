/** Names of the files in the archive of a team. */

export const itemsFile = (kind: string) => `items/${kind}.jsonl`;
export const conversationsFile = itemsFile("conversations/conversation");
export const personFile = (userId: string) => `members/${userId}.json`;
export const isPersonFile = (name: string) =>
  /^members\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.json$/.test(name);
/** Lines with which an import recreates the team. */
export const userLinesFile = "users.jsonl";
