import { localDomain } from "#shared/platform/http/local-domain.ts";

/** How changes answer conversations of other domains (spec heading Identifiers and remote domains). */
export const changesLocalConversation = localDomain("domain", "federation-not-implemented");

/** How typing and a member's own settings answer conversations of other domains: like unknown ones. */
export const knowsLocalConversation = localDomain("domain", "no-conversation");
