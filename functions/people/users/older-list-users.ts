import type * as z from "zod";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import type * as schemas from "./schemas.ts";

/** Refuses a list with a user of another domain. From version 4, such users are reported as failed. */
export function refuseOtherDomains(
  { body }: { readonly body: z.output<typeof schemas.listUsers> },
  { settings }: FormContext,
) {
  for (const { domain } of body.qualified_ids ?? []) checkLocalDomain(domain, settings);
  return {};
}

/** Shows the profiles alone. From version 4, there may be none. */
export function toProfiles({ found }: z.input<typeof schemas.listedUsers>) {
  if (found.length === 0) throw new ApiError("not-found");
  return found;
}
