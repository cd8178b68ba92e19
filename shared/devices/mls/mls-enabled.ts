import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Requirement } from "#shared/platform/http/requirement.ts";

/** Requires that the operator has switched MLS on. */
export const mlsEnabled: Requirement = {
  errors: ["mls-not-enabled"],
  check: ({ settings }) => {
    if (!settings.setEnableMLS) throw new ApiError("mls-not-enabled");
  },
};
