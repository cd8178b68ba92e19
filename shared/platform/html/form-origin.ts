import * as z from "zod";
import { ApiError } from "../http/api-error.ts";

const setByBrowser = z.string().optional().meta({ setBy: "browser" });

/** Headers of a browser about itself and the origin of a form. */
export const formHeaders = z.object({
  "Accept-Language": setByBrowser,
  Host: setByBrowser,
  Origin: setByBrowser,
  "Sec-Fetch-Site": setByBrowser,
});
export type FormHeaders = z.output<typeof formHeaders>;

/**
 * Refuses forms of other sites, by the headers in which browsers state the origin (Fetch Metadata, RFC 6454 §7); other
 * clients send none.
 * @throws ApiError `bad-request`
 */
export function requireSameOrigin(
  { Host: host, Origin: origin, "Sec-Fetch-Site": site }: FormHeaders,
  publicUrl: string,
): void {
  const isOurs =
    origin === undefined || origin === new URL(publicUrl).origin || URL.parse(origin)?.host === host;
  if ((site === undefined || site === "same-origin") && isOurs) return;
  throw new ApiError("bad-request", { message: "The form is from another site" });
}
