import * as z from "zod";
import { serviceRef } from "#shared/accounts/account.ts";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { ConversationMember } from "./conversation-member.ts";
import { roleName } from "./conversation-roles.ts";

const common = {
  qualified_id: qualifiedId,
  id: z.uuid().meta({ description: "Id of the user" }),
  conversation_role: z.string().meta({ description: "Name of the role" }),
  status: z.literal(0).meta({ deprecated: true }),
};

const reference = (field: string) =>
  z
    .string()
    .max(256)
    .meta({ description: `When \`${field}\` changed, or what else clients note of it` });

/**
 * A member's settings for their own devices. Limited in size, because reading the conversation's members reads them,
 * too.
 */
export const ownSettings = {
  otr_muted_status: z
    .int32()
    .meta({ description: "Of which messages clients notify the user: a number on which clients agree" }),
  otr_muted_ref: reference("otr_muted_status"),
  otr_archived: z
    .boolean()
    .meta({ description: "Whether clients show the conversation in the archive only" }),
  otr_archived_ref: reference("otr_archived"),
  hidden: z.boolean().meta({ description: "Whether clients hide the conversation" }),
  hidden_ref: reference("hidden"),
};

/** A member as others see it. */
export const otherMemberView = z
  .object({ ...common, service: serviceRef.optional() })
  .meta({ id: "OtherMember", description: "A member of a conversation, as the others see it" });

/** A member as seen by that member. */
export const selfMemberView = z
  .object({
    ...common,
    service: serviceRef.nullable(),
    status_ref: z.literal("0.0").meta({ deprecated: true }),
    status_time: z.literal("1970-01-01T00:00:00.000Z").meta({ deprecated: true }),
    otr_muted_status: ownSettings.otr_muted_status.nullable(),
    otr_muted_ref: ownSettings.otr_muted_ref.nullable(),
    otr_archived: ownSettings.otr_archived,
    otr_archived_ref: ownSettings.otr_archived_ref.nullable(),
    hidden: ownSettings.hidden,
    hidden_ref: ownSettings.hidden_ref.nullable(),
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
