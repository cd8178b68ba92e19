import { localDomain } from "#shared/platform/http/local-domain.ts";

/** The error of changes for conversations of other domains. */
export const changesLocalConversation = localDomain("domain", "federation-not-implemented");

/** The error of typing and of a member's own settings for conversations of other domains: that of unknown ones. */
export const knowsLocalConversation = localDomain("domain", "no-conversation");
