import type { Conversation } from "#shared/conversations/conversation.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { administersChannel } from "../check-action.ts";
import type { Deps } from "../deps.ts";
import type { GuestLinksFeature, LinkSubject } from "./read-subject.ts";

/** @throws ApiError `guest-links-disabled` */
export function checkFeature({ status }: GuestLinksFeature): void {
  if (status !== "enabled") throw new ApiError("guest-links-disabled");
}

/**
 * Check that the user is an admin of the conversation, or of the team that owns the channel.
 * @throws ApiError `no-conversation` for users outside the conversation, `access-denied` for other members
 */
export function checkAdmin(subject: LinkSubject): void {
  if (administersChannel(subject)) return;
  if (subject.self === undefined) throw new ApiError("no-conversation");
  if (subject.self.role !== "admin") throw new ApiError("access-denied");
}

/** @throws ApiError `access-denied` */
export function checkCodeAccess({ access }: Pick<Conversation, "access">): void {
  if (!access.includes("code")) throw new ApiError("access-denied");
}

/**
 * Check that a link to the conversation can be used.
 * @throws ApiError `access-denied`
 */
export function checkAdmitsGuests(conversation: Pick<Conversation, "access" | "accessRoles">): void {
  checkCodeAccess(conversation);
  const { accessRoles } = conversation;
  if (!accessRoles.includes("guest") && !accessRoles.includes("non_team_member"))
    throw new ApiError("access-denied");
}

/** Requires that the user's rights in the team have not changed; the conversation's revision covers its roles. */
export const requireRights = ({ teams }: Pick<Deps, "teams">, { teamMember }: LinkSubject): Write[] =>
  teamMember === undefined ? [] : [teams.requirePermissions(teamMember)];
