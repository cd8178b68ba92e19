import type { Conversation, ConversationFields, Protocol } from "#shared/conversations/conversation.ts";
import { orderBotRemoval, orderRemovalProposals } from "#shared/conversations/conversation-job.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import { conversationProtocolUpdate } from "#shared/conversations/events/settings.ts";
import { newGroupId } from "#shared/conversations/group-id.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import { type ChangeCommand, changeConversation, type Decision } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { userMemberIds } from "../legal-hold.ts";

type Step = Pick<Decision<unknown>, "fields" | "writes">;

/**
 * Migrate a conversation of a team one step, from Proteus to `mixed` or from there to MLS. There is no way back, so
 * guests may do it only as admins of the conversation; any other member may do it.
 *
 * @returns the event; undefined when nothing has changed
 * @throws ApiError those of `changeConversation`, `invalid-protocol-transition`, `mls-migration-criteria-not-satisfied`
 * @see operation `update-conversation-protocol`
 */
export const changeProtocol = (
  deps: Deps,
  { protocol, ...command }: ChangeCommand & { protocol: Protocol },
) =>
  changeConversation(
    deps,
    command,
    { action: "leave_conversation", event: conversationProtocolUpdate },
    async ({ conversation, members, self, teamMember }) => {
      const { protocol: current, teamId } = conversation;
      if (current === protocol) return undefined;
      if (teamId === undefined) throw new ApiError("invalid-protocol-transition");
      if (teamMember === undefined && self?.role !== "admin") throw new ApiError("action-denied");
      const data = { protocol };
      if (current === "proteus" && protocol === "mixed")
        return { fields: startMigration(deps, conversation), data };
      if (current === "mixed" && protocol === "mls")
        return {
          ...(await finishMigration(deps, teamId, members)),
          data,
          messagesAfter: (changed) => [
            ...orderRemovalProposals(deps.outbox, changed),
            ...orderBotRemoval(deps.outbox, changed, members),
          ],
        };
      throw new ApiError("invalid-protocol-transition");
    },
  );

const startMigration = (
  { settings }: Pick<Deps, "settings">,
  { conversationId, type }: Conversation,
): ConversationFields => ({
  protocol: "mixed",
  group: { groupId: newGroupId({ conversationId, type, domain: settings.domain }), epoch: 0 },
});

async function finishMigration(
  deps: Pick<Deps, "accounts" | "clock" | "features" | "settings">,
  teamId: string,
  members: readonly ConversationMember[],
): Promise<Step> {
  const { clock, features, settings } = deps;
  const ofTeam = await features.get(teamId);
  const { status, config } = effectiveFeature("mlsMigration", ofTeam, settings);
  const deadline = config?.finaliseRegardlessAfter;
  const isDue = deadline !== undefined && Date.parse(deadline) <= clock();
  if (status !== "enabled" || !(isDue || (await allSupportMls(deps, members))))
    throw new ApiError("mls-migration-criteria-not-satisfied");
  return { fields: { protocol: "mls", receiptMode: 0 }, writes: [features.requireUnchanged(ofTeam)] };
}

/** Bots do not count, because they leave with this change. */
async function allSupportMls(
  { accounts }: Pick<Deps, "accounts">,
  members: readonly ConversationMember[],
): Promise<boolean> {
  const userIds = userMemberIds(members);
  const found = await accounts.getMany(userIds);
  return (
    found.length === userIds.length &&
    found.every(({ supportedProtocols }) => supportedProtocols.includes("mls"))
  );
}
