import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";

export const isLocalDomain = (domain: string, settings: Settings): boolean =>
  domain.toLowerCase() === settings.domain.toLowerCase();

/** Other domains cannot be reached. @throws ApiError `federation-not-enabled` */
export function checkLocalDomain(domain: string, settings: Settings): void {
  if (!isLocalDomain(domain, settings)) throw new ApiError("federation-not-enabled");
}
