import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership, TeamStore } from "#shared/teams/team-store.ts";

export interface EndDeps {
  readonly dynamo: DynamoDBDocumentClient;
  readonly accounts: AccountStore;
  readonly outbox: Outbox;
  readonly teams: TeamStore;
}

/**
 * End legal hold of a member, or withdraw the request for it; connections and groups follow as a job. For anybody else,
 * nothing changes.
 */
export async function endMemberLegalHold(
  deps: EndDeps,
  { teamId, userId }: Membership,
  notifyService: () => Promise<void>,
): Promise<void> {
  const { accounts, outbox, teams } = deps;
  await notifyService();
  await change(deps, async () => {
    const [member, account] = await Promise.all([teams.getMember({ teamId, userId }), accounts.get(userId)]);
    if (member?.legalHoldStatus !== "pending" && member?.legalHoldStatus !== "enabled") return undefined;
    return {
      writes: [
        teams.changeLegalHoldStatus(member, "disabled"),
        ...(account === undefined ? [] : accounts.save(account, { ...account, legalHoldStatus: "disabled" })),
      ],
      messages:
        member.legalHoldStatus === "enabled"
          ? [orderTeamJob(outbox, { job: "settle-legal-hold", teamId, userId })]
          : [],
    };
  });
}
