import * as z from "zod";

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

/** API Gateway allows 10,240 bytes of headers in an answer, of which the redirect URL may take 2,048. */
const mostBytes = 6150;

/** State for the address of a redirect, where most characters other than letters and digits take more bytes. */
export const redirectedState = z
  .string()
  .max(4096)
  .refine(
    (state) => new URLSearchParams({ state }).toString().length <= mostBytes,
    "is too long for the address of a redirect",
  )
  .meta({ description: "Returned in the redirect" });
