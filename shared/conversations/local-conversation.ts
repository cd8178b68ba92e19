import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Requirement } from "#shared/platform/http/requirement.ts";
import type { ErrorName } from "#shared/registry/errors.ts";

/** Requires that the path names a conversation of this installation, and answers others with an error. */
const localConversation = (error: ErrorName): Requirement => ({
  errors: [error],
  check: ({ params, settings }) => {
    if (!isLocalDomain(String(Object(params).domain), settings)) throw new ApiError(error);
  },
});

/** How changes answer conversations of other domains (spec heading Identifiers and remote domains). */
export const changesLocalConversation = localConversation("federation-not-implemented");

/** How typing and a member's own settings answer conversations of other domains: like unknown ones. */
export const knowsLocalConversation = localConversation("no-conversation");
