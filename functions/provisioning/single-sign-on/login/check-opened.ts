import { ApiError } from "#shared/platform/http/api-error.ts";
import type { StartHeaders } from "./schemas.ts";

/**
 * Refuse what nobody has opened to log in: other sites could otherwise use up, with images or hidden frames, the logins
 * that the networks of their visitors may start.
 *
 * @throws ApiError `login-not-opened`
 */
export function checkOpened({
  "Sec-Fetch-Dest": destination,
  "Sec-Fetch-Mode": mode,
  "Sec-Fetch-Site": site,
  "Sec-Purpose": secPurpose,
  Purpose: purpose,
}: StartHeaders): void {
  const isFetchedAhead = [secPurpose, purpose].some((text) => text?.startsWith("prefetch"));
  const isPartOfPage = mode === "no-cors";
  const isEmbedded = site === "cross-site" && (mode !== "navigate" || destination !== "document");
  if (isFetchedAhead || isPartOfPage || isEmbedded) throw new ApiError("login-not-opened");
}
