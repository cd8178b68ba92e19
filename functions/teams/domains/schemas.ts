import * as z from "zod";
import * as addressTypes from "#shared/platform/address-types.ts";
import { httpsUrl, uuid } from "#shared/platform/http/wire-types.ts";

/** Schemas that several resources share, named as in the published interface. */

export const domainName = addressTypes.domainName.meta({
  description: "Email domain",
  examples: ["example.com"],
});

export const domainPath = z.object({ domain: domainName });

const redirectKinds = ["none", "locked", "sso", "backend", "no-registration", "pre-authorized"] as const;
export const domainRedirect = z.enum(redirectKinds).meta({
  id: "DomainRedirectTag",
  description:
    "`locked`: closed by the operator. `pre-authorized`: the owner of the domain may choose a backend. `sso`, " +
    "`backend`: log in there. `no-registration`: new accounts come by invitation only",
});
export const teamInvite = z.enum(["allowed", "not-allowed", "team"]).meta({
  id: "TeamInviteTag",
  description: "Who may invite people with an address of the domain: every team, none, or `team` alone",
});

/** `backend` in answers and in internal requests. */
export const backendConfig = z
  .object({
    config_url: httpsUrl.meta({ description: "URL of the backend's configuration" }),
    webapp_url: httpsUrl.optional().meta({ description: "URL of the web client; absent if unknown" }),
  })
  .meta({ id: "BackendConfig" });

/** Fields of a redirect in answers: only those of its kind are present; from version 9, the URL is in both forms. */
export const redirectFields = {
  domain_redirect: domainRedirect,
  sso_code: uuid.optional().meta({ description: "Id of the identity provider, with `sso`" }),
  backend_url: httpsUrl.optional().meta({ description: "Configuration of the backend, with `backend`" }),
  backend: backendConfig.optional(),
};

export const registeredDomain = z
  .object({
    domain: z.string(),
    authorized_team: uuid.optional().meta({ description: "The team that has claimed the domain" }),
    ...redirectFields,
    team_invite: teamInvite,
    team: uuid.optional().meta({ description: "The only team that may invite, with `team`" }),
    dns_verification_token: z
      .string()
      .nullable()
      .meta({ description: "Value of the TXT record that verified the domain; null before that" }),
  })
  .meta({ id: "DomainRegistrationResponse" });
