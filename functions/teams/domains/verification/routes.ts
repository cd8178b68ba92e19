import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { verificationEnabled } from "#shared/teams/registered-domains/verification-enabled.ts";
import { domainPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const base = { method: "POST", since: 8, requires: [verificationEnabled] } as const satisfies Partial<Route>;

const verification = {
  ...base,
  params: schemas.challengePath,
  body: schemas.challengeToken,
  responses: { 200: schemas.ownershipToken },
} as const satisfies Partial<Route>;

const verificationErrors = [
  "domain-registration-update-auth-failure",
  "operation-forbidden-for-domain-registration-state",
  "domain-verification-failed",
  "challenge-not-found",
  "too-many-requests",
] as const;

export const routes = defineRoutes({
  "domain-verification-challenge": {
    audit: unaudited.preparation,
    ...base,
    path: "/domain-verification/{domain}/challenges",
    auth: "none",
    summary: "Start to prove that an email domain is yours",
    description:
      "Publish `dns_verification_token` as a TXT record at `<vendor>-domain.<domain>`, then call " +
      "`verify-challenge` or `verify-challenge-team`. A challenge is valid for two days by default; a " +
      "domain may have several.",
    params: domainPath,
    responses: { 200: schemas.challenge },
    errors: ["operation-forbidden-for-domain-registration-state", "too-many-requests"],
  },
  "verify-challenge": {
    audit: unaudited.preparation,
    ...verification,
    path: "/domain-verification/{domain}/challenges/{challengeId}",
    auth: "none",
    summary: "Prove that an email domain is yours",
    description:
      "For domains that the operator has registered. A challenge whose TXT record is not found can be tried again.",
    errors: verificationErrors,
  },
  "verify-challenge-team": {
    audit: "domain.verified",
    ...verification,
    path: "/domain-verification/{domain}/team/challenges/{challengeId}",
    auth: "user",
    summary: "Prove that an email domain belongs to your team",
    description: "For admins of a team with the feature `domainRegistration`; registers the domain.",
    errors: [...verificationErrors, "domain-registration-update-payment-required"],
  },
  "domain-verification-authorize-team": {
    audit: unaudited.preparation,
    ...base,
    path: "/domain-verification/{domain}/authorize-team",
    auth: "user",
    summary: "Claim an email domain for your team",
    description: "Takes the domain from any other team. The token stays valid.",
    params: domainPath,
    body: schemas.ownershipToken,
    responses: { 200: null },
    errors: [
      "domain-registration-update-auth-failure",
      "domain-registration-update-payment-required",
      "operation-forbidden-for-domain-registration-state",
    ],
  },
  "update-domain-redirect": {
    audit: "domain.changed",
    ...base,
    path: "/domain-verification/{domain}/backend",
    auth: "domain-owner",
    summary: "Send people of your email domain to another backend, or let nobody register",
    description:
      "Needs the ownership token as bearer token. For domains that the operator has pre-authorized.",
    params: domainPath,
    headers: schemas.ownershipHeader,
    body: schemas.backendChoice,
    responses: { 200: null },
    errors: ["domain-registration-update-auth-failure", "operation-forbidden-for-domain-registration-state"],
  },
  "update-team-invite": {
    audit: "domain.changed",
    ...base,
    path: "/domain-verification/{domain}/team",
    auth: "user",
    summary: "Choose who may invite people of your team's email domain, and where they log in",
    description: "Without `domain_redirect` and `sso`, keeps the present redirect.",
    params: domainPath,
    body: schemas.teamRules,
    responses: { 200: null },
    errors: [
      "domain-registration-update-payment-required",
      "operation-forbidden-for-domain-registration-state",
    ],
  },
});
