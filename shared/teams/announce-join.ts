import { type EventPublisher, teamLog } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { teamMemberJoin } from "./events.ts";
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
