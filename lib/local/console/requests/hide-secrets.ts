const hidden = "[hidden]";

/**
 * Names of fields and parameters whose texts are never shown: passwords, tokens, cookies, codes, and other credentials.
 */
const secretName =
  /password|secret|token|cookie|code|authorization|verifier|challenge|assertion|SAML|RelayState|nonce|^(state|ticket|credential)$/i;
/** Exceptions: names that match, but hold no secret. */
const harmlessName =
  /^(country_?code|error_?code|status_?code|locale_?code|token_type|grant_type|code_challenge_method)$/i;

const isSecret = (name: string) => secretName.test(name) && !harmlessName.test(name);

/** A text that contains URLs with secret parameters, or tokens. */
const parameter = /([?&;][\w.~-]*(?:password|secret|token|code|key)[\w.~-]*=)[^&;\s"'<>#]+/gi;
/** Access tokens and cookies: a signature of 88 characters, and the parts of the token. */
const ownToken = /[\w-]{86}(?:==|%3D%3D)?\.v=\d+\.[\w.=-]+/g;
/** JSON Web Tokens: three parts in base64url. */
const webToken = /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g;

/** Hide the secrets that a text is recognised to contain. */
export const hideInText = (text: string): string =>
  text.replace(parameter, `$1${hidden}`).replace(ownToken, hidden).replace(webToken, hidden);

/** Next to one of these fields, a key is half of a code; elsewhere, it belongs to a file or a device and is public. */
const besideKey = ["code", "password"];
const hasSecretKey = (fields: object) =>
  Object.keys(fields).some((name) => besideKey.some((beside) => name.toLowerCase().endsWith(beside)));

/** Hide the values of secret fields at any depth, and everything that `hideInText` finds. */
export function hideInJson(value: unknown, name = ""): unknown {
  if (typeof value === "string") return isSecret(name) ? hidden : hideInText(value);
  if (Array.isArray(value)) return value.map((item) => hideInJson(item, name));
  if (typeof value !== "object" || value === null) return value;
  const hidesKey = hasSecretKey(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      hidesKey && /^key$/i.test(key) && typeof field === "string" ? hidden : hideInJson(field, key),
    ]),
  );
}

/** Hide the parts of a path that are half of a code. */
export const hideInPath = (path: string): string =>
  path.replace(/(\/password-reset\/)(?!complete$|page(?:\/|$))[^/]+$/, `$1${hidden}`);

/** Hide the values of secret parameters in a query or a form. */
export const hideInQuery = (query: string): string =>
  query
    .split("&")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      const isHidden = value.length > 0 && (isSecret(decoded(name)) || /^key$/i.test(name));
      return isHidden ? `${name}=${hidden}` : hideInText(pair);
    })
    .join("&");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
