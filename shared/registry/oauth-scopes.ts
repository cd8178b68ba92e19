/** Scopes that third-party apps can get. A route names the scope that it requires. */
export const oauthScopes = [
  "read:self",
  "write:conversations",
  "write:conversations_code",
  "read:feature_configs",
] as const;
export type OAuthScope = (typeof oauthScopes)[number];

/** Scopes of apps that sign people in (OpenID Connect Core §5.4); the others have no effect without the first. */
export const openIdScopes = ["openid", "profile", "email"] as const;
export type OpenIdScope = (typeof openIdScopes)[number];

/** The scopes of a request, by kind and without duplicates. */
export interface Scopes {
  readonly scope: OAuthScope[];
  readonly openId: OpenIdScope[];
}

/** Whether the operator lets apps sign people in. */
interface Options {
  readonly setOAuthOpenIdEnabled: boolean;
}

const none: Scopes = { scope: [], openId: [] };

const isIn =
  <Word extends string>(words: readonly Word[]) =>
  (word: string): word is Word =>
    (words as readonly string[]).includes(word);
const isScope = isIn(oauthScopes);
const isOpenIdScope = isIn(openIdScopes);

const wordsOf = (text: string) => [...new Set(text.split(/\s+/).filter((word) => word !== ""))];

/** Unknown words next to `openid` are ignored (Core §3.1.2.1). */
const isOpenId = (words: readonly string[], { setOAuthOpenIdEnabled }: Options) =>
  setOAuthOpenIdEnabled && words.includes("openid");

export function hasUnknownScope(text: string, options: Options): boolean {
  const words = wordsOf(text);
  return !isOpenId(words, options) && !words.every(isScope);
}

/** Parses the scopes of a request; a text with an unknown scope gives none. */
export function parseScope(text: string, options: Options): Scopes {
  const words = wordsOf(text);
  if (isOpenId(words, options)) return { scope: words.filter(isScope), openId: words.filter(isOpenIdScope) };
  return words.every(isScope) ? { scope: words, openId: [] } : none;
}
