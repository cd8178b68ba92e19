import { type DevicesByUser, type Message, requiresDevicesOf } from "./message.ts";

/** A ciphertext and the device that it is for. */
interface Delivery {
  readonly userId: string;
  readonly clientId: string;
  /** base64 */
  readonly text: string;
}

/** How the devices that a message addresses differ from those that it should address. */
export interface Comparison {
  /** Required devices that it lacks; if there are any, it is not sent. */
  readonly missing: DevicesByUser;
  /** Addressed devices that no longer exist. */
  readonly deleted: DevicesByUser;
  /** Addressed devices of users who should not get it, and the sending device. */
  readonly redundant: DevicesByUser;
  readonly deliveries: readonly Delivery[];
}

/**
 * Compares the devices that a message addresses with those that should get it.
 * @param expected ids of the devices of each user who should get it, the sender among them
 */
export function compareDevices(
  { sender, recipients, strategy }: Pick<Message, "sender" | "recipients" | "strategy">,
  { senderId, expected }: { senderId: string; expected: ReadonlyMap<string, readonly string[]> },
): Comparison {
  const isSender = (userId: string, clientId: string) => userId === senderId && clientId === sender;
  const missing = new Lists();
  for (const [userId, clientIds] of expected) {
    if (!requiresDevicesOf(strategy, userId)) continue;
    const addressed = recipients.get(userId);
    for (const clientId of clientIds) {
      if (!addressed?.has(clientId) && !isSender(userId, clientId)) missing.add(userId, clientId);
    }
  }

  const deleted = new Lists();
  const redundant = new Lists();
  const deliveries: Delivery[] = [];
  for (const [userId, texts] of recipients) {
    const clientIds = expected.get(userId);
    const known = new Set(clientIds);
    for (const [clientId, text] of texts) {
      if (clientIds === undefined || isSender(userId, clientId)) redundant.add(userId, clientId);
      else if (known.has(clientId)) deliveries.push({ userId, clientId, text });
      else deleted.add(userId, clientId);
    }
  }
  return { missing: missing.byUser, deleted: deleted.byUser, redundant: redundant.byUser, deliveries };
}

/** Lists of devices by user. */
class Lists {
  readonly byUser: DevicesByUser = {};

  add(userId: string, clientId: string): void {
    const list = this.byUser[userId];
    if (list === undefined) this.byUser[userId] = [clientId];
    else list.push(clientId);
  }
}
