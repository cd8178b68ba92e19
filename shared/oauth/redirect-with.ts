/**
 * A redirect URL with more query parameters; those that it has are kept as they are. Undefined for what is no absolute
 * URL of a kind that a browser may be sent to.
 */
export function redirectWith(
  redirectUrl: string,
  parameters: Readonly<Record<string, string>>,
): string | undefined {
  const url = URL.parse(redirectUrl);
  if (url === null || /^(javascript|data|vbscript|blob|file):$/.test(url.protocol)) return undefined;
  const query = new URLSearchParams(parameters).toString();
  url.search = url.search === "" ? query : `${url.search}&${query}`;
  return url.href;
}
