import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";

/** @throws ApiError `mls-not-enabled` unless the operator has switched MLS on */
export function checkMlsEnabled({ setEnableMLS }: Settings): void {
  if (!setEnableMLS) throw new ApiError("mls-not-enabled");
}
