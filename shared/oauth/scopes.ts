/** What a third-party app can be allowed to do (interface section 5.5). Routes name the one that opens them. */
export const oauthScopes = [
  "read:self",
  "write:conversations",
  "write:conversations_code",
  "read:feature_configs",
] as const;
export type OAuthScope = (typeof oauthScopes)[number];

const isScope = (word: string): word is OAuthScope => (oauthScopes as readonly string[]).includes(word);

/** Scopes of a request, each once; a text with an unknown scope in it asks for nothing. */
export function parseScope(text: string): OAuthScope[] {
  const words = [...new Set(text.split(/\s+/).filter((word) => word !== ""))];
  return words.every(isScope) ? words : [];
}
