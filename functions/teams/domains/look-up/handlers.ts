import { emailIdentity } from "#shared/accounts/identity.ts";
import { domainOfEmail } from "#shared/platform/email-address.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type {
  DomainRedirect,
  DomainRegistration,
} from "#shared/teams/registered-domains/domain-registration.ts";
import type { Deps } from "../deps.ts";
import { formsIn, toRedirectView } from "../registration-view.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "get-domain-registration": async ({ body, version }) => {
    const { redirect, isDueToAccount } = await findRedirect(deps, body.email);
    return {
      body: {
        ...toRedirectView(redirect, formsIn(version)),
        due_to_existing_account: isDueToAccount ? true : undefined,
      },
    };
  },
});

interface FoundRedirect {
  readonly redirect: DomainRedirect;
  readonly isDueToAccount?: boolean;
}

/**
 * Find out where the owner of an address registers and logs in. A user with an account here is redirected only to the
 * single sign-on of the team that manages the account.
 *
 * @throws ApiError `invalid-domain`, `invalid-email`
 * @see operation `get-domain-registration`
 */
async function findRedirect(deps: Deps, email: string): Promise<FoundRedirect> {
  const { accounts, domains, settings } = deps;
  const domain = domainOfEmail(email);
  if (domain === undefined) throw new ApiError("invalid-domain");
  const identity = emailIdentity(email, settings);
  const [registration, claim] = await Promise.all([domains.rulesOf(domain), accounts.findClaim(identity)]);
  if (registration === undefined) return { redirect: { kind: "none" } };
  const { redirect } = registration;
  const staysHere =
    claim !== undefined &&
    (redirect.kind === "backend" ||
      (redirect.kind === "sso" && !(await isManagedBy(deps, claim, registration))));
  return staysHere ? { redirect: { kind: "no-registration" }, isDueToAccount: true } : { redirect };
}

/** Whether the team that has claimed the domain manages the account by provisioning or single sign-on. */
async function isManagedBy(
  { accounts }: Deps,
  { userId, teamId }: { userId: string; teamId?: string | undefined },
  { authorizedTeam }: DomainRegistration,
): Promise<boolean> {
  if (teamId === undefined || teamId !== authorizedTeam) return false;
  const account = await accounts.get(userId);
  return account !== undefined && (account.managedByScim || account.samlIdentity !== undefined);
}
