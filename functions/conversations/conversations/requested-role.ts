import { type ConversationRole, roleNamed } from "#shared/conversations/conversation-roles.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

/**
 * The role that a request names.
 * @throws ApiError `bad-request` when there is no such role
 */
export function requestedRole(name: string, { vendor }: Pick<Settings, "vendor">): ConversationRole {
  const role = roleNamed(name, vendor);
  if (role === undefined) throw new ApiError("bad-request", { message: "conversation_role: no such role" });
  return role;
}
