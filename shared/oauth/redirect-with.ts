/**
 * Adds query parameters to a redirect URL and keeps those that it has. Returns undefined for a text that is not an
 * absolute URL, and for a scheme that a browser must not be redirected to.
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
