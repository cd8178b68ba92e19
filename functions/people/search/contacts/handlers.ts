import * as z from "zod";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { defaultSize } from "../schemas.ts";
import type { routes } from "./routes.ts";
import { type SearchCommand, searchContacts } from "./search-contacts.ts";
import { searchCursor } from "./search-cursor.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { clock, settings } = deps;

  async function search(command: SearchCommand) {
    const startedAt = clock();
    const { contacts, found, next } = await searchContacts(deps, command);
    return {
      body: {
        found,
        returned: contacts.length,
        took: clock() - startedAt,
        documents: contacts.map(({ userId, name, accentId, handle, teamId }) => ({
          qualified_id: { domain: settings.domain, id: userId },
          id: userId,
          name,
          accent_id: accentId,
          handle,
          team: teamId,
        })),
        search_policy: "full_search",
        has_more: next !== undefined,
        paging_state: next && z.encode(searchCursor, next),
      },
    } as const;
  }

  return {
    "search-contacts": ({ actor, query: { q, pagingState: start, ...options } }) =>
      search({ ...options, query: q, start, searcherId: actor.userId }),

    "search-contacts-post": ({ actor, query, body }) => {
      const { q, size = defaultSize, pagingState: start, ...options } = { ...query, ...body };
      if (q === undefined) throw new ApiError("bad-request", { message: "q: missing" });
      return search({ ...options, query: q, size, start, searcherId: actor.userId });
    },
  };
}
