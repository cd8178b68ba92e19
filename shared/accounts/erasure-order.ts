import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** Message of the queue `erasures` about a deleted account. */
export const erasureOrder = storedObject({
  userId: z.uuid(),
  /** The team of which the account was a member. */
  teamId: z.uuid().optional(),
  /** Keys of the activation codes that were issued for its identities. */
  activationKeys: z.array(z.string()),
  /** Keys of the pictures in its profile, which others may have uploaded. */
  assetKeys: z.array(z.string()).default([]),
  /** Keys of its email addresses, to which teams may have sent invitations, and when it was deleted, in unix milliseconds. */
  invited: storedObject({ addressKeys: z.array(z.string()), before: z.int() }).optional(),
  /** Devices whose queues may still have events. */
  clientIds: z.array(z.string()).optional(),
  /** Whether it is a bot, which has nothing but a device. */
  isBot: z.literal(true).optional(),
  /**
   * Whether this is the second look, which finds items added by requests that had read the account before its deletion.
   */
  isSecondLook: z.literal(true).optional(),
  /** Set once only files are left to be removed. */
  files: storedObject({
    /** Key of the file after which to go on. */
    after: z.string().optional(),
    /** When the next file before that one is due, in unix milliseconds. */
    nextAt: z.int().optional(),
  }).optional(),
});
export type ErasureOrder = z.infer<typeof erasureOrder>;

/** Longer than any request takes. */
const secondLookSeconds = 60;

/** Creates the message that starts an erasure, or the second look after it. */
export const orderErasure = (outbox: Outbox, order: ErasureOrder): OutboxMessage =>
  outbox.message("erasures", order, { delaySeconds: order.isSecondLook ? secondLookSeconds : 0 });

/** Creates the message that goes on with the files of a deleted account. @param time unix milliseconds; absent: now */
export const orderErasureOfFiles = (
  outbox: Outbox,
  { userId, files, time }: Required<Pick<ErasureOrder, "userId" | "files">> & { readonly time?: number },
): OutboxMessage =>
  outbox.message(
    "erasures",
    { userId, files, activationKeys: [], assetKeys: [] },
    time === undefined ? {} : { isDeferred: true, time },
  );
