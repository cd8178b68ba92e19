import { AccountStore } from "#shared/accounts/account-store.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import type { Brand } from "#shared/platform/html/brand.ts";
import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import { describeFormRefusal } from "#shared/platform/html/describe-form-refusal.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { type HttpResult, renderError } from "#shared/platform/http/render.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { Counts } from "#shared/platform/usage/counts.ts";
import { DefaultProviderStore } from "#shared/provisioning/default-provider-store.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { LoginRequestStore } from "#shared/provisioning/login-request-store.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { JwtSigner } from "#shared/sessions/tokens/jwt.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { BadResponseLimit } from "./login/bad-response-limit.ts";
import { errorPage } from "./login/pages/result-page.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...verifiers,
    outbox: Outbox,
    accounts: AccountStore,
    budget: DailyBudget,
    counts: Counts,
    codes: CodeStore,
    defaultProvider: DefaultProviderStore,
    domains: RegisteredDomainStore,
    identities: IdentityLookup,
    events: EventPublisher,
    features: FeatureStore,
    identityProviders: IdentityProviderStore,
    loginRequests: LoginRequestStore,
    provisioning: TeamProvisioningStore,
    rateLimiter: RateLimiter,
    richInfo: RichInfoStore,
    sessions: SessionStore,
    signer: JwtSigner,
    teams: TeamStore,
    tokens: TokenIssuer,
    verificationCodes: VerificationCodes,
    badResponses: BadResponseLimit,
  },
  ({ settings }) => ({
    describeRefusal: describeFormRefusal,
    renderRefusal: refuseWithLoginPage(settings),
  }),
);

/** Renders errors as a page for whoever posts a response or asks for HTML, and as JSON for apps that start a login. */
const refuseWithLoginPage =
  (settings: Brand & Pick<Settings, "vendor">) =>
  (error: ApiError, { headers, requestContext }: HttpEvent): HttpResult => {
    const isResponse = requestContext.http.method === "POST";
    if (!isResponse && !headers.accept?.includes("text/html")) return renderError(error);
    const mistake = isResponse ? undefined : error.message;
    const failure = { label: error.label, requestId: requestContext.requestId, mistake };
    const language = chooseLocale(headers["accept-language"]);
    const page = errorPage(failure, { language, settings });
    return {
      statusCode: error.status,
      headers: { ...error.headers, ...page.headers, "content-type": pageBody.contentType },
      body: page.body,
    };
  };
