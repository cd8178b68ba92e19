import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { change } from "#shared/platform/messaging/change.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { EventPublisher } from "../publisher.ts";
import { releaseEndpoints } from "./endpoint-release.ts";
import type { PushEndpointStore } from "./push-endpoint-store.ts";
import type { PushToken } from "./push-token.ts";
import type { PushTokenStore } from "./push-token-store.ts";
import { toPushTokenView, userPushRemove } from "./push-token-view.ts";

/** Uses the tables sockets and outbox (both write), and sends to `push-endpoints`. */
export type RemovalDeps = Pick<EventDeps, "dynamo" | "pushTokens" | "outbox">;

/** Sends to `events`, too. */
type RevocationDeps = RemovalDeps & Pick<EventDeps, "events">;

type Selection = (token: PushToken) => boolean;

/** Remove the selected push tokens of a user. @returns how many there were */
export const removePushTokens = (deps: RemovalDeps, userId: string, isSelected: Selection): Promise<number> =>
  remove(deps, userId, isSelected, () => []);

/** Remove the selected push tokens of a user because they have become useless; their devices get an event. */
const revokePushTokens = (deps: RevocationDeps, userId: string, isSelected: Selection): Promise<number> =>
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

/** Dependencies of the rules of this domain; each rule names those that it uses. */
interface EventDeps {
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly outbox: Outbox;
  readonly pushTokens: PushTokenStore;
}

/**
 * Remove the tokens of a useless endpoint from everybody who shares it, except those registered since it was noticed.
 *
 * @param isMeant selects tokens; by default all
 */
export async function revokeEndpoint(
  deps: RevocationDeps & { readonly pushEndpoints: PushEndpointStore },
  { endpointArn, noticedAt }: { readonly endpointArn: string; readonly noticedAt: number },
  isMeant: (token: PushToken) => boolean = () => true,
): Promise<void> {
  const { userIds } = await deps.pushEndpoints.get(endpointArn);
  for (const userId of userIds) {
    await revokePushTokens(
      deps,
      userId,
      (token) => token.endpointArn === endpointArn && token.registeredAt <= noticedAt && isMeant(token),
    );
  }
}
