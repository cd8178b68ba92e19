import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Requirement } from "#shared/platform/http/requirement.ts";
import type { ErrorName } from "#shared/registry/errors.ts";

/** Requires that the path names a conversation of this installation; others get an error. */
const localConversation = (error: ErrorName): Requirement => ({
  errors: [error],
  check: ({ params, settings }) => {
    if (!isLocalDomain(String(Object(params).domain), settings)) throw new ApiError(error);
  },
});

/** The error of changes for conversations of other domains (spec heading Identifiers and remote domains). */
export const changesLocalConversation = localConversation("federation-not-implemented");

/** The error of typing and of a member's own settings for conversations of other domains: that of unknown ones. */
export const knowsLocalConversation = localConversation("no-conversation");
