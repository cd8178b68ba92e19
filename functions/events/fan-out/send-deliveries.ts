import { createHash } from "node:crypto";
import type { Delivery, DeliveryMessage } from "#shared/events/delivery-message.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import type { Deps } from "./deps.ts";
import { type OrderedMessage, sendInOrder } from "./send-in-order.ts";

/** Size of one message, so that several fit into a call. */
const maxMessageBytes = 100 * 1024;
/** Maximum number of recipients in one message: a worker must serve them in one run. */
const maxRecipients = 500;
/** Size of a delivery's recipients, so that the event fits into the message, too. */
const maxRecipientsBytes = 60 * 1024;

/**
 * Send deliveries to their shards, in order.
 * @returns ids of the events that have not been sent to all their shards
 */
export const sendDeliveries = (
  deps: Deps,
  byShard: ReadonlyMap<string, readonly Delivery[]>,
): Promise<Set<string>> =>
  sendInOrder(
    deps,
    "deliveries",
    [...byShard].flatMap(([shard, deliveries]) => toMessages(shard, deliveries)),
  );

function toMessages(shard: string, deliveries: readonly Delivery[]): OrderedMessage[] {
  const messages: OrderedMessage[] = [];
  let group: Delivery[] = [];
  let bytes = 0;
  const close = () => {
    if (group.length === 0) return;
    const body = toSqsText({ deliveries: group } satisfies DeliveryMessage);
    messages.push({
      group: shard,
      body,
      deduplicationId: createHash("sha256").update(body).digest("hex"),
      eventIds: group.map(({ eventId }) => eventId),
    });
    group = [];
    bytes = 0;
  };
  const pieces = deliveries.flatMap((one) =>
    divideRecipients(one.recipients).map((recipients) => ({ ...one, recipients })),
  );
  for (const piece of pieces) {
    const size = Buffer.byteLength(toSqsText(piece));
    if (bytes + size > maxMessageBytes) close();
    group.push(piece);
    bytes += size;
  }
  close();
  return messages;
}

/** Divides recipients into parts that fit into a message and into one run of a worker. */
function divideRecipients(recipients: Delivery["recipients"]): Delivery["recipients"][] {
  const parts: Delivery["recipients"][] = [];
  let bytes = 0;
  for (const recipient of recipients) {
    const size = Buffer.byteLength(toSqsText(recipient));
    const last = parts.at(-1);
    if (last === undefined || last.length === maxRecipients || bytes + size > maxRecipientsBytes) {
      parts.push([recipient]);
      bytes = size;
    } else {
      last.push(recipient);
      bytes += size;
    }
  }
  return parts;
}
