import { envelopeOf } from "#shared/conversations/events/conversation-event.ts";
import { conversationMlsMessageAdd } from "#shared/conversations/events/conversation-mls-message-add.ts";
import { conversationMlsWelcome } from "#shared/conversations/events/conversation-mls-welcome.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { devicesByUser, type Leaf, type Leaves } from "#shared/mls/leaves.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Deps } from "../deps.ts";

interface Delivery {
  readonly conversationId: string;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly time: number;
  /** The device that does not get it. */
  readonly sender: Leaf;
  readonly leaves: Leaves;
  readonly bytes: Buffer;
}

type DeliveryDeps = Pick<Deps, "events" | "settings">;

/** Send a message to the devices of a group but the sending one, except those that are about to be removed. */
export const deliverMessage = (deps: DeliveryDeps, delivery: Delivery): OutboxMessage[] =>
  deliver(deps, conversationMlsMessageAdd, delivery);

/** Send a welcome to the devices that a commit adds. */
export const deliverWelcome = (
  deps: DeliveryDeps,
  { added, ...delivery }: Omit<Delivery, "leaves"> & { readonly added: readonly Leaf[] },
): OutboxMessage[] =>
  deliver(deps, conversationMlsWelcome, { ...delivery, leaves: new Map(added.entries()) });

function deliver(
  { events, settings }: DeliveryDeps,
  spec: typeof conversationMlsMessageAdd,
  { conversationId, actor, time, sender, leaves, bytes }: Delivery,
): OutboxMessage[] {
  const recipients = [...devicesByUser(leaves)]
    .map(([userId, devices]) => ({
      userId,
      clientIds: devices.filter((clientId) => userId !== sender.userId || clientId !== sender.clientId),
    }))
    .filter(({ clientIds }) => clientIds.length > 0);
  const cause = { from: actor.userId, time, isChange: false };
  return events.to({ group: conversationGroup(conversationId), recipients, origin: actor, time }, spec, {
    ...envelopeOf({ conversationId }, cause, settings),
    data: bytes.toString("base64"),
  });
}
