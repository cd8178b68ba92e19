import { AccountStore } from "#shared/accounts/account-store.ts";
import type { LegalHoldStatus } from "#shared/accounts/legal-hold-status.ts";
import { LegalHoldServiceStore } from "#shared/conversations/legal-hold/legal-hold-service-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { retryStale, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Membership, TeamStore } from "#shared/teams/team-store.ts";
import { internalApi } from "./api.ts";
import { stackConfig } from "./stack-config.ts";
import type { Apis } from "./users.ts";

/** Access what a stack has stored about legal hold, bypassing its API. */
export function legalHoldData({ prefix = "test" }: { prefix?: string } = {}) {
  const dynamo = createDynamo();
  const context = { dynamo, config: stackConfig(prefix), clock: systemClock };
  const accounts = new AccountStore(context);
  const teams = new TeamStore(context);
  const services = new LegalHoldServiceStore(context);
  return {
    /** Set a member's status, as if all the steps that lead to it had happened. */
    setStatus: (membership: Membership, status: LegalHoldStatus): Promise<void> =>
      retryStale(async () => {
        const member = await teams.getMember(membership);
        const account = await accounts.get(membership.userId);
        if (member === undefined || account === undefined) throw new Error("No such member");
        await transact(dynamo, [
          teams.changeLegalHoldStatus(member, status),
          ...accounts.save(account, { ...account, legalHoldStatus: status }),
        ]);
      }),
    statusOf: async (membership: Membership) => ({
      member: (await teams.getMember(membership))?.legalHoldStatus,
      account: (await accounts.get(membership.userId))?.legalHoldStatus,
    }),
    /** Mark a team's legal hold as being ended, as if by a process that then died. */
    beginEnd: (teamId: string): Promise<void> => transact(dynamo, [services.beginEnd(teamId)]),
    isEnding: async (teamId: string) => (await services.getEnding(teamId)) !== undefined,
  };
}

/** Switch a team's legal hold on or off, as the operator. */
export async function switchLegalHold(
  { id }: { readonly id: string },
  status: "enabled" | "disabled",
  apis: Partial<Pick<Apis, "internalApi">> = {},
): Promise<void> {
  const { internalApi: api = internalApi } = apis;
  const answer = await api("PATCH", `/i/teams/${id}/features/legalhold`, { json: { status } });
  if (answer.status !== 200) throw new Error(`Switching legal hold was answered ${answer.status}`);
}
