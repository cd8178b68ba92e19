import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Requirement } from "#shared/platform/http/requirement.ts";

/** Requires that the operator has switched OAuth on. */
export const oauthEnabled: Requirement = {
  errors: ["forbidden"],
  check: ({ settings }) => {
    if (!settings.setOAuthEnabled) throw new ApiError("forbidden", { message: "OAuth is switched off" });
  },
};

/** Requires that the operator lets apps sign people in. */
export const openIdEnabled: Requirement = {
  errors: ["forbidden"],
  check: ({ settings }) => {
    if (!settings.setOAuthEnabled || !settings.setOAuthOpenIdEnabled)
      throw new ApiError("forbidden", { message: "Signing in to apps is switched off" });
  },
};
