import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { verificationEnabled } from "#shared/teams/registered-domains/verification-enabled.ts";
import { domainPath, registeredDomain } from "../schemas.ts";
import * as schemas from "./schemas.ts";

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
    body: schemas.registrationUpdate,
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
