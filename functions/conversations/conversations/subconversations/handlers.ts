import type * as z from "zod";
import { isMls } from "#shared/conversations/conversation.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import type { Membership } from "#shared/conversations/conversation-store.ts";
import {
  isDeserted,
  resetIfDeserted,
  subconversationReset,
} from "#shared/conversations/reset-subconversation.ts";
import { newSubconversation, type Subconversation } from "#shared/conversations/subconversation.ts";
import type { SubconversationKey } from "#shared/conversations/subconversation-store.ts";
import { devicesByUser, type Leaves, leafOf } from "#shared/devices/mls/leaves.ts";
import { retryStale, StaleReadError } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import type { Int64 } from "#shared/platform/int64.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { getGroupInfo } from "../mls/get-group-info.ts";
import { protocolError } from "../mls/protocol-error.ts";
import { readAsMember } from "../read-as-member.ts";
import type { routes, subconversationView } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-subconversation": async ({ actor: { userId }, params }) => {
      const found = await getSubconversation(deps, { userId, ...toKey(params) });
      return { body: toSubconversationView(found, deps.settings) };
    },
    "delete-subconversation": async ({ actor: { userId }, params, body }) => {
      const group = { groupId: body.group_id.toString("base64"), epoch: body.epoch };
      await deleteSubconversation(deps, { userId, ...toKey(params), ...group });
      return { body: [] };
    },
    "get-subconversation-group-info": async ({ actor: { userId }, params: { cid, subconv } }) => ({
      body: await getGroupInfo(deps, { conversationId: cid, userId }, subconv),
    }),
    "leave-subconversation": async ({ actor, params }) => {
      await leaveSubconversation(deps, { actor, ...toKey(params) });
      return {};
    },
  };
}

const toKey = ({ cid, subconv }: { cid: string; subconv: string }): SubconversationKey => ({
  conversationId: cid,
  subconversationId: subconv,
});

/**
 * Replace the group of a subconversation by an empty one, because its devices no longer agree on its state. Any member
 * may do it.
 *
 * @throws ApiError `no-conversation`, `access-denied`, `mls-stale-message`
 * @see operation `delete-subconversation`
 */
function deleteSubconversation(
  deps: Deps,
  {
    userId,
    groupId,
    epoch,
    ...key
  }: SubconversationKey & Membership & { readonly groupId: string; readonly epoch: Int64 },
): Promise<void> {
  const { conversationId } = key;
  return change(deps, async () => {
    const [, subconversation] = await Promise.all([
      readAsMember(deps, { conversationId, userId }),
      deps.subconversations.get(key),
    ]);
    if (subconversation?.group.groupId !== groupId) throw new ApiError("no-conversation");
    if (subconversation.group.epoch !== epoch) throw new ApiError("mls-stale-message");
    return subconversationReset(deps, subconversation);
  });
}

/**
 * Take the calling device out of a subconversation; it gets no further messages. A job proposes its removal to the
 * others. When a call ends, all devices leave at the same instant: none of them waits for another.
 *
 * @throws ApiError `no-conversation`, `access-denied`, `mls-protocol-error` when the device is not in it
 * @see operation `leave-subconversation`
 */
async function leaveSubconversation(
  deps: Deps,
  { actor: { userId, clientId }, ...key }: SubconversationKey & { readonly actor: Actor },
): Promise<void> {
  const { groups, outbox } = deps;
  const { conversationId } = key;
  const groupId = await change(deps, async () => {
    const [, subconversation] = await Promise.all([
      readAsMember(deps, { conversationId, userId }),
      deps.subconversations.get(key),
    ]);
    if (subconversation === undefined) throw new ApiError("no-conversation");
    const device = clientId === undefined ? undefined : { userId, clientId };
    const group = await groups.get(subconversation.group.groupId);
    if (device === undefined || group === undefined || leafOf(group.leaves, device) === undefined)
      throw protocolError("The device is not in the subconversation");
    return {
      writes: [groups.depart(group, device)],
      messages: [orderConversationJob(outbox, { job: "propose-removals", ...key, userIds: [] })],
      result: group.groupId,
    };
  });
  // When devices leave at the same instant, the last one finds all of them gone. If this fails, the job does it.
  const left = await groups.get(groupId);
  if (left !== undefined && isDeserted(left)) await resetIfDeserted(deps, key);
}

/** A subconversation with the devices in it. */
interface PopulatedSubconversation {
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
function getSubconversation(
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
function toSubconversationView(
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
