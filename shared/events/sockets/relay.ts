import * as z from "zod";

/**
 * A relay is a process that holds sockets itself, instead of API Gateway. Functions reach it through a queue of its
 * own; its id is part of the ids of its sockets.
 */
const socketIdPattern = /^relay-([0-9a-f]{16})-[0-9a-z]+$/;

/** The id of a relay's nth socket. */
export const relaySocketId = (relayId: string, number: number): string =>
  `relay-${relayId}-${number.toString(36)}`;

/** The relay that holds a socket; undefined for sockets of API Gateway. */
export const relayOf = (socketId: string): string | undefined => socketIdPattern.exec(socketId)?.[1];

/** URL of a relay's queue, or its name. @param prefix of the URLs, or of the names, of all relays' queues */
export const relayQueue = (prefix: string, relayId: string): string => `${prefix}${relayId}.fifo`;

/** As many messages as one call sends. */
const groupCount = 10;

/** Message group of a socket: its messages arrive in order, while other groups do not wait. */
export const groupOf = (socketId: string): string =>
  String(Number.parseInt(socketId.slice(socketId.lastIndexOf("-") + 1), 36) % groupCount);

/**
 * An order about a socket to a relay: send a frame, close it, or, without either, only report it as closed if it is
 * unknown. Unknown fields are ignored, because functions and relays are not replaced at the same moment.
 */
const relayOrder = z.object({
  socketId: z.string(),
  frame: z.string().optional(),
  close: z.boolean().optional(),
});
export type RelayOrder = z.infer<typeof relayOrder>;

/** A message in a relay's queue. */
export const relayMessage = z.object({ orders: z.array(relayOrder) });
