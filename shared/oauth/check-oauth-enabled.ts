import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";

/** @throws ApiError `forbidden` unless the operator has switched OAuth on */
export function checkOAuthEnabled({ setOAuthEnabled }: Pick<Settings, "setOAuthEnabled">): void {
  if (!setOAuthEnabled) throw new ApiError("forbidden", { message: "OAuth is switched off" });
}
