import * as z from "zod";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { httpsUrl, uuid } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { verificationEnabled } from "#shared/teams/registered-domains/verification-enabled.ts";
import { domainPath, teamInvite } from "../schemas.ts";

/** 32 bytes in base64url. */
const token = z.string().min(1).max(256);

const challengePath = domainPath.extend({
  challengeId: uuid.meta({ description: "Id of the challenge" }),
});

const challenge = z
  .object({
    id: uuid,
    token: token.meta({ description: "Proves to this service who asked; keep it to yourself" }),
    dns_verification_token: z
      .string()
      .meta({ description: "Value of the TXT record that proves the domain" }),
  })
  .meta({ id: "DomainVerificationChallenge" });

const challengeToken = z
  .object({ challenge_token: token.meta({ description: "`token` of the challenge" }) })
  .meta({
    id: "ChallengeToken",
    examples: [{ challenge_token: "dGhlIHRva2VuIG9mIHRoZSBjaGFsbGVuZ2UsIDMyIEI" }],
  });

const ownershipToken = z
  .object({
    domain_ownership_token: token.meta({
      description: "Proves who verified the domain last; a later verification invalidates it",
    }),
  })
  .meta({
    id: "DomainOwnershipToken",
    examples: [{ domain_ownership_token: "dGhlIHRva2VuIHRoYXQgcHJvdmVzIG93bmVyc2hpcC4" }],
  });

const ownershipHeader = z.object({
  Authorization: z
    .string()
    .regex(/^bearer +\S{1,256}$/i, "a bearer token")
    .meta({ setBy: "whoever holds the token, as the security scheme says" }),
});

const requestedBackend = z
  .object({ config_url: httpsUrl, webapp_url: httpsUrl })
  .meta({ id: "RequestedBackend" });

export const backendChoice = z
  .object({
    domain_redirect: z.enum(["remove", "backend", "no-registration"]).meta({
      description: "`remove`: neither a backend nor a ban on registrations",
    }),
    backend_url: httpsUrl.optional().meta({ description: "URL of the backend's configuration" }),
    backend: requestedBackend
      .optional()
      .meta({ description: "The backend with its web client; takes precedence over `backend_url`" }),
  })
  .refine(
    ({ domain_redirect, backend_url, backend }) =>
      domain_redirect !== "backend" || backend_url !== undefined || backend !== undefined,
    { path: ["backend"], message: "backend or backend_url is needed" },
  )
  .meta({
    id: "DomainRedirectConfig",
    examples: [{ domain_redirect: "backend", backend_url: "https://backend.example.com/config.json" }],
  });

const teamRules = z
  .object({
    team_invite: teamInvite,
    team: uuid.optional().meta({ description: "Your team; required with `team`" }),
    domain_redirect: z.enum(["none", "no-registration"]).optional(),
    sso: z.uuid().toLowerCase().optional().meta({ description: "Id of an identity provider of your team" }),
  })
  .refine(({ team_invite, team }) => team_invite !== "team" || team !== undefined, {
    path: ["team"],
    message: "required with team_invite team",
  })
  .refine(({ domain_redirect, sso }) => domain_redirect === undefined || sso === undefined, {
    path: ["sso"],
    message: "not together with domain_redirect",
  })
  .meta({ id: "TeamInviteConfig", examples: [{ team_invite: "not-allowed" }] });

const base = { method: "POST", since: 8, requires: [verificationEnabled] } as const satisfies Partial<Route>;

const verification = {
  ...base,
  params: challengePath,
  body: challengeToken,
  responses: { 200: ownershipToken },
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
    responses: { 200: challenge },
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
    body: ownershipToken,
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
    headers: ownershipHeader,
    body: backendChoice,
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
    body: teamRules,
    responses: { 200: null },
    errors: [
      "domain-registration-update-payment-required",
      "operation-forbidden-for-domain-registration-state",
    ],
  },
});
