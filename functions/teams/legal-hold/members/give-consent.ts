import { changeStatus, readSubject } from "#shared/conversations/legal-hold/subject.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/**
 * Consent to legal hold. A job restores what the lack of consent had blocked.
 *
 * @returns false when the member had consented before
 * @throws ApiError `team-member-not-found`
 * @see operation `consent-to-legal-hold`
 */
export const giveConsent = (deps: Deps, { teamId, userId }: Membership): Promise<boolean> =>
  change(deps, async () => {
    const { subject } = await readSubject(deps, { teamId, userId });
    if (subject === undefined) throw new ApiError("team-member-not-found");
    if (subject.status !== "no_consent") return { result: false };
    return {
      writes: changeStatus(deps, subject, "disabled"),
      messages: [orderTeamJob(deps.outbox, { job: "settle-legal-hold", teamId, userId })],
      afterCommit: async () =>
        deps.log.info("legal-hold-status-changed", { teamId, userId, status: "disabled", by: userId }),
      result: true,
    };
  });
