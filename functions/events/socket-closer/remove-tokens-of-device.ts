import { removePushTokens } from "#shared/events/push/remove-push-tokens.ts";
import type { SocketClosure } from "#shared/events/sockets/socket-closure.ts";
import type { Deps } from "./deps.ts";

/** Remove the push tokens of a removed device; it may have been registered again since, with new ones. Safe to repeat. */
export async function removeTokensOfDevice(
  deps: Deps,
  { userId, removedDevice }: SocketClosure,
): Promise<void> {
  if (removedDevice === undefined) return;
  const { clientId, at } = removedDevice;
  await removePushTokens(
    { ...deps, outbox: deps.outgoing },
    userId,
    (token) => token.clientId === clientId && token.registeredAt <= at,
  );
}
