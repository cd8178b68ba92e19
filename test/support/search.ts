import { randomInt, randomUUID } from "node:crypto";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { toDocument } from "#shared/accounts/search/search-document.ts";
import { entryItemsOf } from "#shared/accounts/search/search-index-store.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Api, type ApiAnswer, api } from "./api.ts";

/** Ten random letters that occur in no other name. */
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

/** Search for contacts through the API. */
export const search = (
  { token }: Searcher,
  q: string,
  { publicApi = api, ...options }: SearchOptions = {},
): Promise<ApiAnswer> => {
  const query = new URLSearchParams({ q });
  for (const [name, value] of Object.entries(options)) query.set(name, String(value));
  return publicApi("GET", `/search/contacts?${query}`, { token });
};

/** Ids of the users in a search result, in order. */
export const idsIn = ({ body }: Pick<ApiAnswer, "body">): string[] =>
  body.documents.map(({ id }: { id: string }) => id);

/** Put users without accounts into the shared stack's index, for tests that need many. @returns their ids */
export async function indexUsers(
  users: readonly { name: string; handle?: string; teamId?: string }[],
): Promise<string[]> {
  const dynamo = createDynamo();
  const documents = users.map(({ name, handle, teamId }) =>
    toDocument(randomUUID(), { name, handle, teamId, accentId: 0 }),
  );
  const requests = documents
    .flatMap((document) => entryItemsOf(document))
    .map((Item) => ({ PutRequest: { Item } }));
  while (requests.length > 0) {
    await dynamo.send(new BatchWriteCommand({ RequestItems: { "test-search": requests.splice(0, 25) } }));
  }
  return documents.map(({ userId }) => userId);
}
