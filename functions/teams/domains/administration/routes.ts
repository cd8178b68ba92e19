import * as z from "zod";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { verificationEnabled } from "#shared/teams/registered-domains/verification-enabled.ts";
import { backendConfig, domainPath, domainRedirect, registeredDomain, teamInvite } from "../schemas.ts";

const needs = (field: string, of: string) => ({ path: [field], message: `required with ${of}` });

export const registrationUpdate = z
  .object({
    domain_redirect: domainRedirect,
    sso_code: uuid.optional().meta({ description: "Id of the identity provider; required with `sso`" }),
    backend: backendConfig.optional().meta({ description: "Required with `backend`" }),
    team_invite: teamInvite,
    team: uuid.optional().meta({ description: "Required with `team`" }),
  })
  .refine(
    ({ domain_redirect, sso_code }) => domain_redirect !== "sso" || sso_code !== undefined,
    needs("sso_code", "domain_redirect sso"),
  )
  .refine(
    ({ domain_redirect, backend }) => domain_redirect !== "backend" || backend !== undefined,
    needs("backend", "domain_redirect backend"),
  )
  .refine(
    ({ team_invite, team }) => team_invite !== "team" || team !== undefined,
    needs("team", "team_invite team"),
  )
  .meta({
    id: "DomainRegistrationUpdate",
    examples: [{ domain_redirect: "no-registration", team_invite: "allowed" }],
  });

const path = "/i/domain-registration/{domain}";
const base = { path, auth: "internal", params: domainPath } as const satisfies Partial<Route>;
const change = { ...base, requires: [verificationEnabled], responses: { 204: null } } as const;
const forbidden = "operation-forbidden-for-domain-registration-state" as const;

export const routes = defineRoutes({
  "i-get-domain-registration": {
    ...base,
    method: "GET",
    summary: "Get the registration of an email domain",
    responses: { 200: registeredDomain },
    errors: ["not-found"],
  },
  "i-put-domain-registration": {
    ...change,
    method: "PUT",
    audit: "domain.changed",
    summary: "Set the rules of an email domain",
    description: "Keeps the tokens and the team that has claimed the domain.",
    body: registrationUpdate,
    errors: [forbidden],
  },
  "i-delete-domain-registration": {
    ...change,
    method: "DELETE",
    audit: "domain.removed",
    summary: "Remove the registration of an email domain",
    description: "Succeeds even if there is none.",
    errors: [],
  },
  "i-lock-domain": {
    ...change,
    method: "POST",
    audit: "domain.changed",
    path: `${path}/lock`,
    summary: "Close an email domain to verification",
    description: "Removes its rules, its tokens and the team that has claimed it.",
    errors: [],
  },
  "i-unlock-domain": {
    ...change,
    method: "POST",
    audit: "domain.changed",
    path: `${path}/unlock`,
    summary: "Open an email domain to verification again",
    errors: ["not-found", forbidden],
  },
  "i-preauthorize-domain": {
    ...change,
    method: "POST",
    audit: "domain.changed",
    path: `${path}/preauthorize`,
    summary: "Let the owner of an email domain choose a backend",
    errors: [forbidden],
  },
  "i-unauthorize-domain": {
    ...change,
    method: "POST",
    audit: "domain.changed",
    path: `${path}/unauthorize`,
    summary: "Withdraw the choice of a backend from the owner of an email domain",
    errors: ["not-found", forbidden],
  },
});
