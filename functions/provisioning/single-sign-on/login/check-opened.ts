import { ApiError } from "#shared/platform/http/api-error.ts";
import type { StartHeaders } from "./schemas.ts";

/**
 * Refuse requests that no user has opened: otherwise, other sites could use up their visitors' limit of logins by
 * images or hidden frames.
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
