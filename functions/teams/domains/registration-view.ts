import type * as z from "zod";
import type {
  DomainRedirect,
  DomainRegistration,
  TeamInvite,
} from "#shared/teams/registered-domains/domain-registration.ts";
import type { registeredDomain } from "./schemas.ts";

type RegisteredDomainView = z.input<typeof registeredDomain>;
type RedirectView = Pick<RegisteredDomainView, "domain_redirect" | "sso_code" | "backend_url" | "backend">;

/** The form in which an answer names a backend. */
export interface BackendForms {
  readonly url?: boolean;
  readonly object?: boolean;
}

/** Up to version 8 the URL only; from version 9 the object, too. */
export const formsIn = (version: number): BackendForms => ({ url: true, object: version >= 9 });
export const objectForm: BackendForms = { object: true };

export function toRedirectView(redirect: DomainRedirect, forms: BackendForms): RedirectView {
  const { kind } = redirect;
  switch (kind) {
    case "sso":
      return { domain_redirect: kind, sso_code: redirect.identityProviderId };
    case "backend":
      return {
        domain_redirect: kind,
        backend_url: forms.url ? redirect.configUrl : undefined,
        backend: forms.object
          ? { config_url: redirect.configUrl, webapp_url: redirect.webappUrl }
          : undefined,
      };
    default:
      return { domain_redirect: kind };
  }
}

export const toRegistrationView = (
  { domain, redirect, teamInvite, authorizedTeam, dnsVerificationToken }: Omit<DomainRegistration, "version">,
  forms: BackendForms,
): RegisteredDomainView => ({
  domain,
  authorized_team: authorizedTeam,
  ...toRedirectView(redirect, forms),
  team_invite: teamInvite.kind,
  team: teamInvite.kind === "team" ? teamInvite.teamId : undefined,
  dns_verification_token: dnsVerificationToken ?? null,
});

/** Reads a rule on invitations; the schema has checked that `team` is there for the kind `team`. */
export const toTeamInvite = ({
  team_invite: kind,
  team = "",
}: {
  team_invite: TeamInvite["kind"];
  team?: string | undefined;
}): TeamInvite => (kind === "team" ? { kind, teamId: team } : { kind });
