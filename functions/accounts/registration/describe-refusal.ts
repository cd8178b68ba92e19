import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal, type Reason } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { translations as joiningTranslations } from "./joining/pages/translations.ts";
import { translations as activationTranslations } from "./pages/texts.ts";

/** Explain why an activation page confirmed nothing, or an invitation page let nobody join. */
export const describeRefusal = (error: ApiError, locale: Locale): Refusal =>
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
