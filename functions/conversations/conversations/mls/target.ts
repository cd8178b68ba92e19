import type { Conversation } from "#shared/conversations/conversation.ts";
import { type GroupReference, parseGroupId } from "#shared/conversations/group-id.ts";
import {
  mayHaveSubconversations,
  newSubconversation,
  type Subconversation,
} from "#shared/conversations/subconversation.ts";
import type { Leaf } from "#shared/devices/mls/leaves.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { protocolError } from "./protocol-error.ts";

/** The group that a message names. */
export interface Target extends GroupReference {
  /** base64 */
  readonly groupId: string;
}

/**
 * Read the id of the group that a message is for.
 * @throws ApiError `mls-protocol-error`, `federation-not-enabled` for groups of other domains
 */
export function targetOf(groupId: Buffer, settings: Settings): Target {
  const reference = parseGroupId(groupId);
  if (reference === undefined) throw protocolError("The group id is not one of this service");
  if (!isLocalDomain(reference.domain, settings)) throw new ApiError("federation-not-enabled");
  return { ...reference, groupId: groupId.toString("base64") };
}

/** The stored subconversation that a message names. */
export interface FoundSubconversation {
  /** Undefined before the first commit, and for groups of conversations. */
  readonly stored: Subconversation | undefined;
  /** Generation of its group before the first commit. */
  readonly generation: number;
}

/** Read the subconversation that a message names. */
export async function readSubconversation(
  { subconversations }: Pick<Deps, "subconversations">,
  { conversationId, subconversationId }: GroupReference,
): Promise<FoundSubconversation> {
  if (subconversationId === undefined) return { stored: undefined, generation: 0 };
  const [stored, generation] = await Promise.all([
    subconversations.get({ conversationId, subconversationId }),
    subconversations.firstGeneration(conversationId),
  ]);
  return { stored, generation };
}

/**
 * Check that a conversation uses MLS, and that the named group is the current one of it or its subconversation.
 *
 * @returns the subconversation, which the first commit stores; undefined if the group is that of the conversation
 * @throws ApiError `no-conversation`, `mls-protocol-error`
 */
export function checkCurrent(
  conversation: Conversation,
  { groupId, subconversationId }: Target,
  { found: { stored, generation }, settings }: { found: FoundSubconversation; settings: Settings },
): Subconversation | undefined {
  if (conversation.group === undefined) throw new ApiError("no-conversation");
  const subconversation =
    subconversationId === undefined
      ? undefined
      : (stored ?? beginSubconversation(conversation, { id: subconversationId, generation }, settings));
  if ((subconversation ?? conversation).group?.groupId !== groupId)
    throw protocolError("The group was reset and has a new id");
  return subconversation;
}

/** @throws ApiError `mls-protocol-error` when the conversation has none */
function beginSubconversation(
  conversation: Conversation,
  place: { readonly id: string; readonly generation: number },
  settings: Settings,
): Subconversation {
  if (!mayHaveSubconversations(conversation))
    throw protocolError("Conversations of this kind have no subconversations");
  return newSubconversation(conversation, place, settings);
}

/**
 * The device that sends the request, which its access token names.
 * @throws ApiError `bad-request` when it names none
 */
export function sendingDevice({ userId, clientId }: Actor): Leaf {
  if (clientId === undefined)
    throw new ApiError("bad-request", { message: "The access token names no device" });
  return { userId, clientId };
}
