import type { EventDeps } from "#shared/events/event-deps.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { releaseEndpoints } from "./endpoint-release.ts";
import type { PushToken } from "./push-token.ts";
import { toPushTokenView } from "./push-token-view.ts";
import { userPushRemove } from "./user-push-remove.ts";

/** Uses the tables sockets and outbox (both write), and sends to `push-endpoints`. */
export type RemovalDeps = Pick<EventDeps, "dynamo" | "pushTokens" | "outbox">;

/** Sends to `events`, too. */
export type RevocationDeps = RemovalDeps & Pick<EventDeps, "events">;

type Selection = (token: PushToken) => boolean;

/** Remove the selected push tokens of a user. @returns how many there were */
export const removePushTokens = (deps: RemovalDeps, userId: string, isSelected: Selection): Promise<number> =>
  remove(deps, userId, isSelected, () => []);

/** Remove the selected push tokens of a user because they have become useless; their devices get an event. */
export const revokePushTokens = (
  deps: RevocationDeps,
  userId: string,
  isSelected: Selection,
): Promise<number> =>
  remove(deps, userId, isSelected, (token) => {
    const audience = { group: userId, recipients: [{ userId, clientIds: [token.clientId] }] };
    return deps.events.to(audience, userPushRemove, { token: toPushTokenView(token) });
  });

const remove = (
  { dynamo, outbox, pushTokens }: RemovalDeps,
  userId: string,
  isSelected: Selection,
  announce: (token: PushToken) => OutboxMessage[],
): Promise<number> =>
  change({ dynamo }, async () => {
    const own = await pushTokens.get(userId);
    const removed = own.tokens.filter(isSelected);
    if (removed.length === 0) return { result: 0 };
    const kept = own.tokens.filter((token) => !removed.includes(token));
    return {
      writes: pushTokens.put(own, kept),
      messages: [...releaseEndpoints(outbox, userId, removed), ...removed.flatMap(announce)],
      result: removed.length,
    };
  });
