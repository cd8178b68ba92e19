import * as z from "zod";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { backendConfig, domainRedirect, teamInvite } from "../schemas.ts";

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
