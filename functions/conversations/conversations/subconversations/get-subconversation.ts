import type * as z from "zod";
import { isMls } from "#shared/conversations/conversation.ts";
import type { Membership } from "#shared/conversations/conversation-store.ts";
import { newSubconversation, type Subconversation } from "#shared/conversations/subconversation.ts";
import type { SubconversationKey } from "#shared/conversations/subconversation-store.ts";
import { devicesByUser, type Leaves } from "#shared/devices/mls/leaves.ts";
import { retryStale, StaleReadError } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { readAsMember } from "../read-as-member.ts";
import type { subconversationView } from "./routes.ts";

/** A subconversation with the devices in it. */
export interface PopulatedSubconversation {
  readonly subconversation: Subconversation;
  readonly leaves: Leaves;
}

/**
 * Get a subconversation with the devices in it. Before the first commit it is not stored, but its group already has an
 * id.
 *
 * @throws ApiError `no-conversation`, `access-denied`, `mls-subconv-unsupported-convtype`
 * @see operation `get-subconversation`
 */
export function getSubconversation(
  deps: Deps,
  { userId, ...key }: SubconversationKey & Membership,
): Promise<PopulatedSubconversation> {
  const { groups, settings, subconversations } = deps;
  const { conversationId, subconversationId } = key;
  return retryStale(async () => {
    const [{ conversation }, stored, generation] = await Promise.all([
      readAsMember(deps, { conversationId, userId }),
      subconversations.get(key),
      subconversations.firstGeneration(conversationId),
    ]);
    const { type, group } = conversation;
    if (type !== "regular" && type !== "one-to-one") throw new ApiError("mls-subconv-unsupported-convtype");
    if (stored === undefined && group === undefined) throw new ApiError("no-conversation");
    if (stored === undefined && !isMls(conversation)) throw new ApiError("mls-subconv-unsupported-convtype");
    const subconversation =
      stored ?? newSubconversation(conversation, { id: subconversationId, generation }, settings);
    const { groupId, epoch } = subconversation.group;
    if (epoch === 0) return { subconversation, leaves: new Map() };
    const found = await groups.get(groupId);
    if (found?.epoch !== epoch) throw new StaleReadError(`MLS group ${groupId}`);
    return { subconversation, leaves: found.leaves };
  });
}

/** Show a subconversation to a member of its conversation. */
export function toSubconversationView(
  { subconversation, leaves }: PopulatedSubconversation,
  { domain }: Pick<Settings, "domain">,
): z.input<typeof subconversationView> {
  const { groupId, epoch, epochChangedAt, cipherSuite } = subconversation.group;
  return {
    parent_qualified_id: { domain, id: subconversation.conversationId },
    subconv_id: subconversation.subconversationId,
    group_id: groupId,
    epoch,
    ...(epochChangedAt !== undefined && { epoch_timestamp: toUtcSecond(epochChangedAt) }),
    ...(cipherSuite !== undefined && { cipher_suite: cipherSuite }),
    members: [...devicesByUser(leaves)].flatMap(([userId, devices]) =>
      devices.map((clientId) => ({ domain, user_id: userId, client_id: clientId })),
    ),
  };
}
