import * as z from "zod";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { PushToken } from "./push-token.ts";

/**
 * Message of the outbox for the queue `push-endpoints`: a user who has left an endpoint, unless the user has joined it
 * again.
 */
export const endpointRelease = z.object({ userId: z.uuid(), endpointArn: z.string() });
export type EndpointRelease = z.infer<typeof endpointRelease>;

/** Creates the messages by which a user leaves the endpoints of tokens. */
export const releaseEndpoints = (
  outbox: Outbox,
  userId: string,
  tokens: readonly PushToken[],
): OutboxMessage[] =>
  tokens.flatMap(({ endpointArn }) =>
    endpointArn === undefined ? [] : [outbox.message("push-endpoints", { userId, endpointArn })],
  );
