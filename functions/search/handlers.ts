import { ApiError } from "#shared/errors.ts";
import type { Handlers } from "#shared/http/route.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";
import { defaultSize } from "./schemas.ts";
import { type SearchCommand, searchContacts } from "./search-contacts.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { clock, settings } = deps;

  async function search(command: SearchCommand) {
    const startedAt = clock();
    const { contacts, found, pagingState } = await searchContacts(deps, command);
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
        has_more: pagingState !== undefined,
        paging_state: pagingState,
      },
    } as const;
  }

  return {
    "search-contacts": ({ actor, query: { q, ...options } }) =>
      search({ ...options, query: q, searcherId: actor.userId }),

    "search-contacts-post": ({ actor, query, body }) => {
      const { q, size = defaultSize, ...options } = { ...query, ...body };
      if (q === undefined) throw new ApiError("bad-request", { message: "q: missing" });
      return search({ ...options, query: q, size, searcherId: actor.userId });
    },
  };
}
