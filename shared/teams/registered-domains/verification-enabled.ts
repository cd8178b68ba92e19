import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Requirement } from "#shared/platform/http/requirement.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** Requires that the operator has switched the verification of domains on. */
export const verificationEnabled: Requirement = {
  errors: ["enterprise-service-not-enabled"],
  check: ({ settings }) => {
    verificationSettings(settings);
  },
};

/** Get the settings of the service. @throws ApiError `enterprise-service-not-enabled` */
export function verificationSettings({ domainVerification }: Settings) {
  if (domainVerification === null) throw new ApiError("enterprise-service-not-enabled");
  return domainVerification;
}
