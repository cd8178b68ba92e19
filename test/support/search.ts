import { randomInt, randomUUID } from "node:crypto";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { inject } from "vitest";
import { createDocumentClient } from "#shared/data/client.ts";
import { toDocument } from "#shared/data/search/search-document.ts";
import { entryItemsOf } from "#shared/data/search/search-index-store.ts";
import { type Api, type ApiAnswer, api } from "./api.ts";

/** Ten letters that nobody else's name has. */
export const newWord = () =>
  Array.from({ length: 10 }, () => String.fromCharCode("a".charCodeAt(0) + randomInt(26))).join("");

interface Searcher {
  readonly token: string;
}

interface SearchOptions {
  readonly publicApi?: Api;
  readonly size?: number;
  readonly pagingState?: string;
  readonly domain?: string;
}

export const search = (
  { token }: Searcher,
  q: string,
  { publicApi = api, ...options }: SearchOptions = {},
): Promise<ApiAnswer> => {
  const given = new URLSearchParams({ q });
  for (const [name, value] of Object.entries(options)) given.set(name, String(value));
  return publicApi("GET", `/search/contacts?${given}`, { token });
};

/** Ids of the users whom a search lists, in its order. */
export const idsIn = ({ body }: Pick<ApiAnswer, "body">): string[] =>
  body.documents.map(({ id }: { id: string }) => id);

/** Lists users in the index of the shared stack who have no account: for tests that need many. Returns their ids. */
export async function indexUsers(
  users: readonly { name: string; handle?: string; teamId?: string }[],
): Promise<string[]> {
  Object.assign(process.env, inject("emulators").environment);
  const client = createDocumentClient();
  const documents = users.map(({ name, handle, teamId }) =>
    toDocument(randomUUID(), { name, handle, teamId, accentId: 0 }),
  );
  const requests = documents.flatMap(entryItemsOf).map((Item) => ({ PutRequest: { Item } }));
  while (requests.length > 0) {
    await client.send(new BatchWriteCommand({ RequestItems: { "test-search": requests.splice(0, 25) } }));
  }
  return documents.map(({ userId }) => userId);
}
