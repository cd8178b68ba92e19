import { type EventPublisher, teamLog } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { teamMemberJoin, teamMemberUpdate } from "./events.ts";
import { isTeamAdmin, type Member } from "./member.ts";
import type { Membership } from "./team-store.ts";

/** Creates the message about a new member for that member, the acting user, admins and owners, and the team's log. */
export function announceJoin(
  { clock, events }: { readonly clock: Clock; readonly events: EventPublisher },
  { teamId, userId }: Membership,
  actor: Actor = { userId },
): OutboxMessage[] {
  const content = { team: teamId, time: new Date(clock()).toISOString(), data: { user: userId } };
  const people = [...new Set([userId, actor.userId])].map((id) => ({ userId: id }));
  const recipients = [...people, teamLog(teamId)];
  const membersOf = { teamId, members: "admins" as const };
  return events.to({ group: userId, recipients, membersOf, origin: actor }, teamMemberJoin, content);
}

/**
 * Creates the messages that tell admins and owners of a member's new permissions, including the member if now one of
 * them. @param origin absent: not changed by a member
 */
export function announcePermissions(
  { clock, events }: { readonly clock: Clock; readonly events: EventPublisher },
  { teamId, userId, permissions }: Pick<Member, "teamId" | "userId" | "permissions">,
  origin?: Actor,
): OutboxMessage[] {
  const audience = {
    group: userId,
    recipients: isTeamAdmin({ permissions }) ? [{ userId }] : [],
    membersOf: { teamId, members: "admins" as const },
    origin,
  };
  return events.to(audience, teamMemberUpdate, {
    team: teamId,
    time: new Date(clock()).toISOString(),
    data: { user: userId, permissions },
  });
}
