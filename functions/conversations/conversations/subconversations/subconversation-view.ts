import type * as z from "zod";
import { devicesByUser } from "#shared/devices/mls/leaves.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { PopulatedSubconversation } from "./get-subconversation.ts";
import type { subconversationView } from "./schemas.ts";

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
