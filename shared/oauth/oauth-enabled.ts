import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Requirement } from "#shared/platform/http/requirement.ts";

/** Requires that the operator has switched OAuth on. */
export const oauthEnabled: Requirement = {
  errors: ["forbidden"],
  check: ({ settings }) => {
    if (!settings.setOAuthEnabled) throw new ApiError("forbidden", { message: "OAuth is switched off" });
  },
};
