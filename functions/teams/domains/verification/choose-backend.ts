import type { DomainRedirect } from "#shared/teams/registered-domains/domain-registration.ts";
import { changeRegistration } from "../change-registration.ts";
import type { Deps } from "../deps.ts";
import { chooseBackend as choose } from "../transitions.ts";
import { checkOwnership } from "./check-ownership.ts";

/**
 * Let the owner of a domain send its people to another backend, or let nobody register.
 *
 * @throws ApiError `domain-registration-update-auth-failure`, `operation-forbidden-for-domain-registration-state`
 * @see operation `update-domain-redirect`
 */
export function chooseBackend(
  deps: Deps,
  { domain, token, redirect }: { domain: string; token: string; redirect: DomainRedirect },
): Promise<void> {
  return changeRegistration(deps, "backend", domain, async () => {
    const before = checkOwnership(await deps.domains.get(domain), token);
    return { before, after: choose(before, redirect) };
  });
}
