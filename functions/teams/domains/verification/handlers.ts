import type * as z from "zod";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { DomainRedirect } from "#shared/teams/registered-domains/domain-registration.ts";
import type { Deps } from "../deps.ts";
import { toTeamInvite } from "../read-rules.ts";
import { authorizeTeam } from "./authorize-team.ts";
import { chooseBackend } from "./choose-backend.ts";
import { chooseTeamRules } from "./choose-team-rules.ts";
import { createChallenge } from "./create-challenge.ts";
import type * as schemas from "./routes.ts";
import type { routes } from "./routes.ts";
import { verifyChallenge } from "./verify-challenge.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "domain-verification-challenge": async ({ params, sourceIp }) => {
      const { challengeId, token, dnsVerificationToken } = await createChallenge(
        deps,
        params.domain,
        sourceIp,
      );
      return { body: { id: challengeId, token, dns_verification_token: dnsVerificationToken } };
    },

    "verify-challenge": async ({ params, body, sourceIp }) => {
      const command = { ...params, token: body.challenge_token };
      return { body: { domain_ownership_token: await verifyChallenge(deps, command, sourceIp) } };
    },

    "verify-challenge-team": async ({ actor, params, body, sourceIp }) => {
      const command = { ...params, token: body.challenge_token, userId: actor.userId };
      return { body: { domain_ownership_token: await verifyChallenge(deps, command, sourceIp) } };
    },

    "domain-verification-authorize-team": async ({ actor, params: { domain }, body }) => {
      await authorizeTeam(deps, { userId: actor.userId, domain, token: body.domain_ownership_token });
      return {};
    },

    "update-domain-redirect": async ({ params: { domain }, bearer = "", body }) => {
      await chooseBackend(deps, { domain, token: bearer, redirect: toOwnersRedirect(body) });
      return {};
    },

    "update-team-invite": async ({ actor, params: { domain }, body }) => {
      const { domain_redirect: kind, sso } = body;
      const redirect =
        sso === undefined ? kind && { kind } : { kind: "sso" as const, identityProviderId: sso };
      await chooseTeamRules(deps, {
        userId: actor.userId,
        domain,
        teamInvite: toTeamInvite(body),
        redirect,
      });
      return {};
    },
  };
}

function toOwnersRedirect({
  domain_redirect: choice,
  backend_url: configUrl = "",
  backend,
}: z.output<typeof schemas.backendChoice>): DomainRedirect {
  if (choice === "no-registration") return { kind: choice };
  if (choice === "remove") return { kind: "pre-authorized" };
  return backend === undefined
    ? { kind: choice, configUrl }
    : { kind: choice, configUrl: backend.config_url, webappUrl: backend.webapp_url };
}
