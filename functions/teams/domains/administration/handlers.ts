import type * as z from "zod";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type {
  DomainRedirect,
  DomainRegistration,
} from "#shared/teams/registered-domains/domain-registration.ts";
import { changeRegistration } from "../change-registration.ts";
import type { Deps } from "../deps.ts";
import { objectForm, toRegistrationView, toTeamInvite } from "../registration-view.ts";
import * as transitions from "../transitions.ts";
import type * as schemas from "./routes.ts";
import type { routes } from "./routes.ts";

type Transition = (registration: DomainRegistration | undefined) => transitions.NextRegistration | undefined;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  async function apply(call: string, domain: string, transition: Transition) {
    await changeRegistration(deps, call, domain, async () => {
      const before = await deps.domains.get(domain);
      return { before, after: transition(before) };
    });
    return {};
  }

  return {
    "i-get-domain-registration": async ({ params }) => {
      const registration = await deps.domains.rulesOf(params.domain);
      if (registration === undefined) throw new ApiError("not-found");
      return { body: toRegistrationView(registration, objectForm) };
    },

    "i-put-domain-registration": ({ params: { domain }, body }) =>
      apply("update", domain, (registration) =>
        transitions.overwrite(domain, registration, {
          redirect: toRedirect(body),
          teamInvite: toTeamInvite(body),
        }),
      ),

    "i-delete-domain-registration": ({ params: { domain } }) => apply("delete", domain, () => undefined),

    "i-lock-domain": ({ params: { domain } }) => apply("lock", domain, () => transitions.lock(domain)),

    "i-unlock-domain": ({ params: { domain } }) => apply("unlock", domain, transitions.unlock),

    "i-preauthorize-domain": ({ params: { domain } }) =>
      apply("preauthorize", domain, (registration) => transitions.preauthorize(domain, registration)),

    "i-unauthorize-domain": ({ params: { domain } }) => apply("unauthorize", domain, transitions.unauthorize),
  };
}

function toRedirect({
  domain_redirect: kind,
  sso_code: identityProviderId = "",
  backend: { config_url: configUrl, webapp_url: webappUrl } = { config_url: "" },
}: z.output<typeof schemas.registrationUpdate>): DomainRedirect {
  switch (kind) {
    case "sso":
      return { kind, identityProviderId };
    case "backend":
      return { kind, configUrl, webappUrl };
    default:
      return { kind };
  }
}
