import type * as z from "zod";
import { toConversationViewV2, toConversationViewV3 } from "#shared/conversations/conversation-view.ts";
import { accessRolesOf } from "#shared/conversations/legacy-access-role.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { createdGroup, mlsOneToOneView, newGroupV2 } from "./schemas.ts";

type CreatedGroup = z.input<typeof createdGroup>;

/** Reads a group whose access roles may be named by a legacy one. */
export const fromNewGroupV2 = ({
  body: { access_role: legacy, access_role_v2: roles, ...body },
}: {
  readonly body: z.output<typeof newGroupV2>;
}) => ({ body: { ...body, access_role: roles ?? (legacy ? [...accessRolesOf(legacy)] : undefined) } });

/** Shows a new group to its creator, who always joins it before version 9. */
export function toCreatedGroupV6({ members: { self, others }, ...group }: CreatedGroup) {
  if (self === undefined) throw new Error(`The creator has not joined ${group.id}`);
  return { ...group, members: { self, others } };
}
export const toCreatedGroupV3 = (group: CreatedGroup) => toConversationViewV3(toCreatedGroupV6(group));
export const toCreatedGroupV2 = (group: CreatedGroup) => toConversationViewV2(toCreatedGroupV6(group));

/** Refuses without the names of the domains that cannot be reached. */
export function refuseRemoteUsers(): never {
  throw new ApiError("federation-connection-refused");
}

/** Shows the conversation without removal keys. */
export const toMlsOneToOneV5 = ({ conversation }: z.input<typeof mlsOneToOneView>) =>
  toConversationViewV3(conversation);
