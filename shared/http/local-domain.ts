import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";

/** Other domains cannot be reached. @throws ApiError `federation-not-enabled` */
export function checkLocalDomain(domain: string, settings: Settings): void {
  if (domain.toLowerCase() !== settings.domain.toLowerCase()) throw new ApiError("federation-not-enabled");
}
