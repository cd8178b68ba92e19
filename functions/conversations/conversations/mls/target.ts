import type { Conversation } from "#shared/conversations/conversation.ts";
import { type GroupReference, parseGroupId } from "#shared/conversations/group-id.ts";
import type { Leaf } from "#shared/mls/leaves.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
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

/**
 * Check that a conversation uses MLS, and that the named group is its current one.
 * @throws ApiError `no-conversation`, `mls-protocol-error`
 */
export function checkCurrent({ group }: Conversation, { groupId }: Target): void {
  if (group === undefined) throw new ApiError("no-conversation");
  if (group.groupId !== groupId) throw protocolError("The group was reset and has a new id");
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
