import { type Delivery, shardOf } from "#shared/events/delivery-message.ts";
import type { EventMessage, Recipient, TeamAudience } from "#shared/events/event-message.ts";
import { maxItemTextBytes } from "#shared/platform/data/split-text.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { fanoutLimit } from "#shared/teams/team.ts";
import type { Deps } from "./deps.ts";

/** Larger events for several recipients are stored once, so that a log entry stays within one write unit. */
const inlineBytes = 512;
/** Larger events are not sent through the queue, but read from where they are stored. */
const queueBytes = 16 * 1024;

/**
 * Divide an event by the shards of its recipients; first stores it once for all of them, if it is large.
 *
 * @param options.isRepeated whether some of it may have been handed on already
 */
export async function toDeliveries(
  deps: Deps,
  message: EventMessage,
  { isRepeated }: { isRepeated: boolean },
): Promise<Map<string, Delivery>> {
  const { eventId, isTransient, committedAt } = message;
  const event = JSON.stringify(message.event);
  const bytes = Buffer.byteLength(event);
  const { recipients, contactsOf } = message;
  const membersOf = await limited(deps, message.membersOf);
  // An event that may be limited leaves out the connection that caused it only when it is.
  const isUnlimited = message.membersOf?.members === "all-unless-limited" && membersOf?.members === "all";
  const origin = isUnlimited ? undefined : message.origin;
  const isForSeveral = recipients.length > 1 || contactsOf !== undefined || membersOf !== undefined;
  const isShared = bytes > (isForSeveral ? inlineBytes : Math.min(queueBytes, maxItemTextBytes));
  if (isShared) await deps.notifications.putSharedPayload(eventId, `[${event}]`);
  const common = {
    eventId,
    isTransient,
    origin,
    committedAt,
    isShared,
    isRepeated,
    ...(bytes <= queueBytes && { event }),
  };
  const byShard = new Map<string, Recipient[]>();
  for await (const recipient of recipientsOf(deps, { recipients, contactsOf, membersOf })) {
    const shard = shardOf(recipient.userId, deps.settings.deliveryShards);
    const ofShard = byShard.get(shard);
    if (ofShard === undefined) byShard.set(shard, [recipient]);
    else ofShard.push(recipient);
  }
  return new Map([...byShard].map(([shard, ofShard]) => [shard, { ...common, recipients: ofShard }]));
}

/** The members of a team who get an event by its feature `limitedEventFanout`. */
async function limited(
  { features, settings }: Deps,
  audience: TeamAudience | undefined,
): Promise<TeamAudience | undefined> {
  if (audience?.members !== "all-unless-limited") return audience;
  const team = await features.get(audience.teamId);
  return { ...audience, members: hasFeature("limitedEventFanout", team, settings) ? "admins" : "all" };
}

type Audience = Pick<EventMessage, "recipients" | "contactsOf" | "membersOf">;

/** Yields each recipient once, however many of its audiences the event names. */
async function* recipientsOf(
  deps: Deps,
  { recipients, contactsOf, membersOf }: Audience,
): AsyncGenerator<Recipient> {
  yield* recipients;
  const seen = new Set(recipients.map(({ userId }) => userId));
  for await (const userId of lookedUp(deps, { contactsOf, membersOf })) {
    if (seen.has(userId)) continue;
    seen.add(userId);
    yield { userId };
  }
}

async function* lookedUp(
  { connections, settings, teams }: Deps,
  { contactsOf, membersOf }: Omit<Audience, "recipients">,
): AsyncGenerator<string> {
  if (contactsOf !== undefined) {
    for await (const { peerId, status } of connections.ofUser(contactsOf)) {
      if (status === "accepted") yield peerId;
    }
  }
  if (membersOf === undefined) return;
  const { teamId } = membersOf;
  if (membersOf.members === "admins") return yield* teams.admins(teamId);
  const team = await teams.get(teamId);
  if (team === undefined || team.memberCount > fanoutLimit(settings)) return;
  for await (const { userId } of teams.members(teamId)) yield userId;
}
