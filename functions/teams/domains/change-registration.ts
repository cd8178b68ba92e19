import { isDeepStrictEqual } from "node:util";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import type { DomainRegistration } from "#shared/teams/registered-domains/domain-registration.ts";
import { TooManyDomainsError } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "./deps.ts";
import { objectForm, toRegistrationView } from "./registration-view.ts";
import type { NextRegistration } from "./transitions.ts";

/** The effect of a call on a registration. */
export interface Decision extends Partial<Pick<Change, "writes">> {
  readonly before: DomainRegistration | undefined;
  /** Absent: remove the registration. */
  readonly after: NextRegistration | undefined;
}

/**
 * Change a registration, log the change, and mail it to the operator's auditor. A call that changes nothing does
 * neither.
 *
 * @param call name of the call in the log and in the mail
 * @param decide reads and decides; runs again after a concurrent change
 * @throws ApiError `operation-forbidden-for-domain-registration-state` when the team has reached its limit of domains,
 * or is being deleted
 */
export function changeRegistration(
  deps: Deps,
  call: string,
  domain: string,
  decide: () => Promise<Decision>,
): Promise<void> {
  return change(deps, async () => {
    const { before, after, writes } = await decide();
    const [old, next] = [toAuditView(before), toAuditView(after)];
    if (isDeepStrictEqual(old, next)) return undefined;
    const facts = { domain, call, before: toText(old), after: toText(next) };
    const audited = {
      writes: deps.domains.save(before, after),
      messages: auditMails(deps, facts).map((mail) => deps.outbox.message("mail", mail)),
      afterCommit: async () => deps.log.info("domain-registration-changed", facts),
    };
    return combine(audited, { writes });
  })
    .catch(
      answer(TooManyDomainsError, "operation-forbidden-for-domain-registration-state", () => ({
        message: "The team has reached its limit of domains",
      })),
    )
    .catch(answer(TeamNotFoundError, "operation-forbidden-for-domain-registration-state"));
}

function auditMails(
  { settings }: Deps,
  facts: { domain: string; call: string; before: string; after: string },
) {
  const to = settings.domainVerification?.auditRecipient;
  return to === undefined ? [] : [{ template: "domain-audit", to, ...facts } satisfies MailMessage];
}

const toAuditView = (registration: NextRegistration | undefined) =>
  registration === undefined
    ? null
    : JSON.parse(JSON.stringify(toRegistrationView(registration, objectForm)));

const toText = (view: unknown) => JSON.stringify(view, null, 2);
