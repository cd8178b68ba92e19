import type * as z from "zod";
import type { userClients } from "#shared/devices/public-device-view.ts";
import { checkLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import type { qualifiedUserClients, wrappedUserClientPrekeys } from "./schemas.ts";

interface Claim<Body extends z.ZodType> {
  readonly body: z.output<Body>;
}

type Claimed = z.input<typeof wrappedUserClientPrekeys>;

/** Refuses a claim for users of another domain. From version 4, such users are reported as failed. */
export function refuseOtherDomains({ body }: Claim<typeof qualifiedUserClients>, { settings }: FormContext) {
  for (const domain of Object.keys(body)) checkLocalDomain(domain, settings);
  return {};
}

/** Shows the prekeys alone. */
export const toClaimedPrekeys = (claimed: Claimed) => claimed.qualified_user_client_prekeys;

/** Reads a claim that names users without domains. */
export const toQualifiedClaim = ({ body }: Claim<typeof userClients>, { settings }: FormContext) => ({
  body: { [settings.domain]: body },
});

/** Shows the prekeys by user ids without domains. */
export const toOwnPrekeys = (claimed: Claimed, { settings }: FormContext) =>
  toClaimedPrekeys(claimed)[settings.domain] ?? {};
