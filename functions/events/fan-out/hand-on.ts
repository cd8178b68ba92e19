import {
  conversationMlsMessageAdd,
  conversationOtrMessageAdd,
} from "#shared/conversations/events/messages.ts";
import type { BotEvent } from "#shared/events/bot-event.ts";
import type { Delivery } from "#shared/events/delivery-message.ts";
import type { EventMessage } from "#shared/events/event-message.ts";
import type { ToldTimes } from "#shared/events/told-times.ts";
import type { Log } from "#shared/platform/log.ts";
import { requestIdsOf } from "#shared/platform/request-id.ts";
import { noteHandled } from "#shared/platform/usage/measured-work.ts";
import { Audiences } from "./audiences.ts";
import type { Deps } from "./deps.ts";
import { type LanePart, type OpenLane, takePart } from "./lanes.ts";
import { sendDeliveries } from "./send-deliveries.ts";
import { sendToBots } from "./send-in-order.ts";
import { type DividedEvent, toDeliveries } from "./to-deliveries.ts";

/** Events divided by their recipients, in order for each of them. */
interface Outgoing {
  readonly byShard: Map<string, Delivery[]>;
  readonly forBots: BotEvent[];
}

/**
 * Hands on the messages of lanes, a part of each lane at a time. A lane that fails stops, so that no message overtakes,
 * and has `hasFailed` set.
 */
export async function handOn(deps: Deps, lanes: readonly OpenLane[]): Promise<void> {
  for (;;) {
    const open = lanes.filter(({ isDone, hasFailed }) => !isDone && !hasFailed);
    if (open.length === 0) return;
    const due = open.map((lane) => ({ lane }));
    await handOnParts(deps, await forEachLane(deps, due, ({ lane }) => takePart(deps, lane)));
  }
}

async function handOnParts(deps: Deps, parts: readonly LanePart[]): Promise<void> {
  const outgoing: Outgoing = { byShard: new Map(), forBots: [] };
  const audiences = new Audiences(deps);
  const divided = await forEachLane(deps, parts, async (part) => {
    await divide(deps, part, { audiences, outgoing });
    return part;
  });
  const [undelivered, withheld] = await Promise.all([
    sendDeliveries(deps, outgoing.byShard),
    sendToBots(deps, outgoing.forBots),
  ]);
  const unsent = new Set([...undelivered, ...withheld]);
  const sent = await forEachLane(deps, divided, async (part) => {
    if (part.messages.some(({ message }) => unsent.has(message.eventId)))
      throw new Error("Not sent to all recipients");
    return part;
  });
  await complete(deps, sent, outgoing.byShard.size);
}

/** @param options.audiences created after all messages were read */
async function divide(
  deps: Deps,
  { lane: { ownerId }, messages }: LanePart,
  { audiences, outgoing: { byShard, forBots } }: { audiences: Audiences; outgoing: Outgoing },
): Promise<void> {
  const divided: DividedEvent[] = [];
  for (const { message, ...origin } of await giveLaterTimes(deps, ownerId, messages))
    divided.push(await toDeliveries({ ...deps, audiences }, message, origin));
  // Only now, so that of a part that fails nothing is sent.
  for (const event of divided) {
    for (const [shard, delivery] of event.byShard) {
      const ofShard = byShard.get(shard);
      if (ofShard === undefined) byShard.set(shard, [delivery]);
      else ofShard.push(delivery);
    }
    forBots.push(...event.forBots);
  }
}

async function complete(deps: Deps, sent: readonly LanePart[], shards: number): Promise<void> {
  const { counts, log, outbox } = deps;
  const items = sent.flatMap((part) => part.items);
  const messages = sent.flatMap((part) => part.messages);
  const requestIds = requestIdsOf(items);
  if (requestIds.length > 0) log.info("events-handed-on", { requestIds, shards });
  for (const { sample } of messages) noteHandled(sample);
  try {
    await Promise.all([
      outbox.completeAll(items),
      counts.add({ messages: messages.filter(({ message }) => isChatMessage(message)).length }),
    ]);
  } catch (error) {
    for (const { lane } of sent) fail(log, lane, error);
  }
}

/** Takes a step for several lanes at once. @returns the results for those that have not failed */
async function forEachLane<Item extends { readonly lane: OpenLane }, Result>(
  { log }: Deps,
  items: readonly Item[],
  step: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = await Promise.all(
    items.map(async (item) => {
      try {
        return [await step(item)];
      } catch (error) {
        fail(log, item.lane, error);
        return [];
      }
    }),
  );
  return results.flat();
}

function fail(log: Log, lane: OpenLane, error: unknown): void {
  lane.hasFailed = true;
  const { records, requestIds } = lane;
  log.error("fan-out-failed", { sqsMessageId: records[0]?.messageId, requestIds, error: error as Error });
}

const chatMessages: ReadonlySet<string> = new Set([
  conversationOtrMessageAdd.type,
  conversationMlsMessageAdd.type,
]);
const isChatMessage = ({ event }: EventMessage) => chatMessages.has(event.type);

/**
 * Give events of a conversation ascending times, each later than all times that were sent before: clients take an event
 * without a later time for a repetition.
 *
 * @param conversationId for broadcasts, the id of the sender, which is that of the sender's conversation with
 * themselves
 */
async function giveLaterTimes<Item extends { readonly message: EventMessage }>(
  { told }: { readonly told: ToldTimes },
  conversationId: string,
  items: readonly Item[],
): Promise<Item[]> {
  const listed = items.flatMap(({ message }) =>
    isListed(message) ? [{ eventId: message.eventId, time: Date.parse(message.event.time) }] : [],
  );
  if (listed.length === 0) return [...items];
  const times = (await told.take(conversationId, listed)).values();
  return items.map((item) => {
    const { message } = item;
    if (!isListed(message)) return item;
    const time = new Date(times.next().value as number).toISOString();
    return { ...item, message: { ...message, event: { ...message.event, time } } };
  });
}

type Listed = EventMessage & { readonly event: { readonly time: string } };

/** Whether the event belongs to a conversation and has a time. */
const isListed = (message: EventMessage): message is Listed =>
  !message.isTransient &&
  typeof message.event.time === "string" &&
  message.event.type.startsWith("conversation.");
