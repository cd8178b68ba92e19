import * as z from "zod";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type ConversationMember, conversationMemberItem } from "./conversation-member.ts";
import { roleName } from "./conversation-roles.ts";

const service = conversationMemberItem.shape.service
  .unwrap()
  .meta({ id: "ServiceRef", description: "The service that a bot belongs to" });

const common = {
  qualified_id: qualifiedId,
  id: z.uuid().meta({ description: "Id of the user" }),
  conversation_role: z.string().meta({ description: "Name of the role" }),
  status: z.literal(0).meta({ deprecated: true }),
};

/** A member as others see it. */
export const otherMemberView = z
  .object({ ...common, service: service.optional() })
  .meta({ id: "OtherMember", description: "A member of a conversation, as the others see it" });

/** A member as seen by that member. */
export const selfMemberView = z
  .object({
    ...common,
    service: service.nullable(),
    status_ref: z.literal("0.0").meta({ deprecated: true }),
    status_time: z.literal("1970-01-01T00:00:00.000Z").meta({ deprecated: true }),
    otr_muted_status: z.int().nullable(),
    otr_muted_ref: z.string().nullable(),
    otr_archived: z.boolean(),
    otr_archived_ref: z.string().nullable(),
    hidden: z.boolean(),
    hidden_ref: z.string().nullable(),
  })
  .meta({ id: "Member", description: "Your own membership, with your settings" });

type Names = Pick<Settings, "domain" | "vendor">;

const toCommonFields = ({ userId, role }: ConversationMember, { domain, vendor }: Names) => ({
  qualified_id: { domain, id: userId },
  id: userId,
  conversation_role: roleName(role, vendor),
  status: 0 as const,
});

export const toOtherMemberView = (
  member: ConversationMember,
  names: Names,
): z.input<typeof otherMemberView> => ({
  ...toCommonFields(member, names),
  ...(member.service !== undefined && { service: member.service }),
});

export const toSelfMemberView = (
  member: ConversationMember,
  names: Names,
): z.input<typeof selfMemberView> => ({
  ...toCommonFields(member, names),
  service: member.service ?? null,
  status_ref: "0.0",
  status_time: "1970-01-01T00:00:00.000Z",
  otr_muted_status: member.mutedStatus ?? null,
  otr_muted_ref: member.mutedReference ?? null,
  otr_archived: member.isArchived ?? false,
  otr_archived_ref: member.archivedReference ?? null,
  hidden: member.isHidden ?? false,
  hidden_ref: member.hiddenReference ?? null,
});
