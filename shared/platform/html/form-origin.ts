import * as z from "zod";
import { ApiError } from "../http/api-error.ts";

const setByBrowser = z.string().optional().meta({ setBy: "browser" });

/** What a browser says about itself, and about the origin of a form. */
export const formHeaders = z.object({
  "Accept-Language": setByBrowser,
  Host: setByBrowser,
  Origin: setByBrowser,
  "Sec-Fetch-Site": setByBrowser,
});
export type FormHeaders = z.output<typeof formHeaders>;

/**
 * Refuses forms of other sites by what browsers say about their origin (Fetch Metadata, RFC 6454 §7); other clients say
 * nothing. @throws ApiError `bad-request`
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
