/** Scopes that third-party apps can get (interface section 5.5). A route names the scope that it requires. */
export const oauthScopes = [
  "read:self",
  "write:conversations",
  "write:conversations_code",
  "read:feature_configs",
] as const;
export type OAuthScope = (typeof oauthScopes)[number];

const isScope = (word: string): word is OAuthScope => (oauthScopes as readonly string[]).includes(word);

const wordsOf = (text: string) => [...new Set(text.split(/\s+/).filter((word) => word !== ""))];

export const hasUnknownScope = (text: string): boolean => !wordsOf(text).every(isScope);

/** Parses the scopes of a request, without duplicates; a text with an unknown scope gives none. */
export function parseScope(text: string): OAuthScope[] {
  const words = wordsOf(text);
  return words.every(isScope) ? words : [];
}
