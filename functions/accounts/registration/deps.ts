import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal, type Reason } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { Switches } from "#shared/platform/switches.ts";
import { Counts } from "#shared/platform/usage/counts.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { InvitationStore } from "#shared/teams/invitation-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { translations as joiningTranslations } from "./joining/pages/translations.ts";
import { translations as activationTranslations } from "./pages/activation-pages.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    secrets: SecretReader,
    outbox: Outbox,
    accounts: AccountStore,
    counts: Counts,
    budget: DailyBudget,
    codes: CodeStore,
    domains: RegisteredDomainStore,
    identities: IdentityLookup,
    events: EventPublisher,
    features: FeatureStore,
    invitations: InvitationStore,
    passwordChecks: PasswordCheckLimiter,
    rateLimiter: RateLimiter,
    sessions: SessionStore,
    switches: Switches,
    teams: TeamStore,
    tokens: TokenIssuer,
    verificationCodes: VerificationCodes,
  },
  () => ({
    describeRefusal,
  }),
);

/** Explain why an activation page confirmed nothing, or an invitation page let nobody join. */
const describeRefusal = (error: ApiError, locale: Locale): Refusal =>
  describeLinkRefusal(error, locale, reasonOf(error, locale));

function reasonOf({ error }: ApiError, locale: Locale): Reason | undefined {
  const activation = activationTranslations[locale];
  const joining = joiningTranslations[locale];
  switch (error) {
    case "activation-code-rejected":
      return activation.refusedCode;
    case "key-exists":
      return activation.takenAddress;
    case "condition-failed":
      return activation.closedDomain;
    case "invalid-invitation-code":
      return joining.refusedCode;
    case "no-team":
      return joining.closedTeam;
    case "too-many-team-members":
    case "too-many-members-for-legalhold":
      return joining.fullTeam;
    case "cannot-join-multiple-teams":
      return joining.otherTeam;
    case "suspended":
      return joining.suspended;
    case "allowlist-rejected":
    case "blacklisted-email":
    case "domain-blocked-for-registration":
      return joining.refusedAddress;
    default:
      return undefined;
  }
}
