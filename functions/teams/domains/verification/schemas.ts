import * as z from "zod";
import { httpsUrl, uuid } from "#shared/platform/http/wire-types.ts";
import { domainPath, teamInvite } from "../schemas.ts";

/** 32 bytes in base64url. */
const token = z.string().min(1).max(256);

export const challengePath = domainPath.extend({
  challengeId: uuid.meta({ description: "Id of the challenge" }),
});

export const challenge = z
  .object({
    id: uuid,
    token: token.meta({ description: "Proves to this service who asked; keep it to yourself" }),
    dns_verification_token: z
      .string()
      .meta({ description: "Value of the TXT record that proves the domain" }),
  })
  .meta({ id: "DomainVerificationChallenge" });

export const challengeToken = z
  .object({ challenge_token: token.meta({ description: "`token` of the challenge" }) })
  .meta({
    id: "ChallengeToken",
    examples: [{ challenge_token: "dGhlIHRva2VuIG9mIHRoZSBjaGFsbGVuZ2UsIDMyIEI" }],
  });

export const ownershipToken = z
  .object({
    domain_ownership_token: token.meta({
      description: "Proves who verified the domain last; a later verification invalidates it",
    }),
  })
  .meta({
    id: "DomainOwnershipToken",
    examples: [{ domain_ownership_token: "dGhlIHRva2VuIHRoYXQgcHJvdmVzIG93bmVyc2hpcC4" }],
  });

export const ownershipHeader = z.object({
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

export const teamRules = z
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
