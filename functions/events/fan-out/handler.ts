import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import {
  conversationMlsMessageAdd,
  conversationOtrMessageAdd,
} from "#shared/conversations/events/messages.ts";
import type { BotEvent } from "#shared/events/bot-event.ts";
import type { Delivery } from "#shared/events/delivery-message.ts";
import { type EventMessage, eventMessage, mayBeUnfinished } from "#shared/events/event-message.ts";
import { conversationOf, isOfConversation } from "#shared/events/publisher.ts";
import { type SocketStart, socketStart } from "#shared/events/sockets/socket.ts";
import { createBatchWorker } from "#shared/platform/messaging/batch-worker.ts";
import {
  carriedMessage,
  laneNudge,
  type OutboxItem,
  readLane,
} from "#shared/platform/messaging/outbox-item.ts";
import { isCarried, type LaneEntry } from "#shared/platform/messaging/outbox-worker.ts";
import { requestIdsOf } from "#shared/platform/request-id.ts";
import { noteHandled } from "#shared/platform/usage/measured-work.ts";
import type { Sample } from "#shared/platform/usage/sample.ts";
import { queues } from "#shared/registry/queues.ts";
import { Audiences } from "./audiences.ts";
import type { Deps } from "./deps.ts";
import { forwardToCells, isForCells } from "./forward-to-cells.ts";
import { giveLaterTimes } from "./give-later-times.ts";
import { sendDeliveries } from "./send-deliveries.ts";
import { sendToBots } from "./send-in-order.ts";
import { startSocket } from "./start-socket.ts";
import { type DividedEvent, toDeliveries } from "./to-deliveries.ts";

export { createDeps } from "./deps.ts";

/** Limits for the messages of a lane that are passed on together: their number and approximate size. */
const roundSize = 20;
const roundBytes = 1024 * 1024;

/** A lane of the outbox, and the queue messages that name it. */
interface Lane {
  /** The conversation, user or team whose events it has; broadcasts are in the lane of their sender. */
  readonly ownerId: string;
  readonly records: SQSRecord[];
  readonly items: AsyncGenerator<OutboxItem>;
  readonly isRepeated: boolean;
  /** Ids of the requests that have caused the events. */
  requestIds: readonly string[];
  hasFailed: boolean;
  isDone: boolean;
}

/** The queue messages about one lane, with their contents, in order. */
interface Called {
  readonly lane: string;
  readonly records: SQSRecord[];
  readonly entries: LaneEntry[];
}

/** The messages that a round takes from a lane. */
interface Turn {
  readonly lane: Lane;
  readonly items: OutboxItem[];
  readonly messages: {
    readonly message: EventMessage;
    readonly isRepeated: boolean;
    readonly requestId: string | undefined;
    readonly sample: Sample | undefined;
  }[];
}

/** The deliveries of a round, in order for each recipient. */
interface Round {
  readonly byShard: Map<string, Delivery[]>;
  readonly forBots: BotEvent[];
}

/**
 * Handle nudges from the queue `events`. A nudge names a group's lane in the outbox and a message in it; the lane's
 * messages, at least up to that one, are passed on in order. After a failure, the lane stops: the queue repeats the
 * nudge, and no message overtakes.
 */
export function createHandler(deps: Deps) {
  const { clock, counts, log, outbox } = deps;

  /** @param options.isBehind whether more messages are waiting, or may have been when the run failed */
  function toLane(called: Called, { isBehind }: { isBehind: boolean }): Lane {
    const isRepeated = mayBeRepeated(called);
    const items = pendingOf(called, { isRepeated, isBehind: isBehind || isRepeated });
    const { group = "" } = readLane(called.lane) ?? {};
    const ownerId = conversationOf(group) ?? group;
    const { records } = called;
    return { ownerId, records, items, isRepeated, requestIds: [], hasFailed: false, isDone: false };
  }

  /** Lanes of conversations are not read ahead, because the queue itself may carry earlier messages. */
  function pendingOf(
    { lane, entries }: Called,
    { isRepeated, isBehind }: { isRepeated: boolean; isBehind: boolean },
  ): AsyncGenerator<OutboxItem> {
    if (entries.some(isCarried)) return outbox.pendingAround(entries, { isRepeated });
    const mayReadAhead = !isOfConversation(readLane(lane)?.group ?? "");
    return outbox.pendingOf(entries, { isRepeated, isBehind: isBehind && mayReadAhead });
  }

  /** @returns the queue messages of lanes that failed */
  async function forward(called: Called): Promise<SQSRecord[]> {
    const { records, entries } = called;
    try {
      await forwardToCells(deps, entries, { isRepeated: mayBeRepeated(called) });
      return [];
    } catch (error) {
      log.error("cells-forwarding-failed", { sqsMessageId: records[0]?.messageId, error: error as Error });
      return records;
    }
  }

  async function takeTurn(lane: Lane): Promise<Turn> {
    const turn: Turn = { lane, items: [], messages: [] };
    let bytes = 0;
    while (turn.items.length < roundSize && bytes < roundBytes) {
      const { value: item, done } = await lane.items.next();
      if (done) {
        lane.isDone = true;
        break;
      }
      const message = eventMessage.safeParse(item.payload);
      if (!message.success) {
        await outbox.park(item, message.error);
        continue;
      }
      const isRepeated = lane.isRepeated || item.deliveries > 0 || mayBeUnfinished(message.data, clock());
      turn.items.push(item);
      const { requestId, sample } = item;
      turn.messages.push({ message: message.data, isRepeated, requestId, sample });
      bytes += item.bytes;
    }
    lane.requestIds = requestIdsOf(turn.items);
    return turn;
  }

  /** @param audiences created after all messages of the round were read */
  async function divide(
    { lane: { ownerId }, messages }: Turn,
    audiences: Audiences,
    { byShard, forBots }: Round,
  ): Promise<void> {
    const told = await giveLaterTimes(deps, ownerId, messages);
    const taken: DividedEvent[] = [];
    for (const { message, ...origin } of told)
      taken.push(await toDeliveries({ ...deps, audiences }, message, origin));
    for (const divided of taken) {
      for (const [shard, delivery] of divided.byShard) {
        const ofShard = byShard.get(shard);
        if (ofShard === undefined) byShard.set(shard, [delivery]);
        else ofShard.push(delivery);
      }
      forBots.push(...divided.forBots);
    }
  }

  /** Hands on the messages of lanes, a part of each at a time. Sets `hasFailed` of lanes that fail. */
  async function handOn(lanes: readonly Lane[]): Promise<void> {
    for (;;) {
      const open = lanes.filter(({ isDone, hasFailed }) => !isDone && !hasFailed);
      if (open.length === 0) return;
      const turns = await eachUnlessFailed(open, (lane) => lane, takeTurn);
      const round: Round = { byShard: new Map(), forBots: [] };
      const audiences = new Audiences(deps);
      const divided = await eachUnlessFailed(turns, laneOfTurn, async (turn) => {
        await divide(turn, audiences, round);
        return turn;
      });
      const [undelivered, withheld] = await Promise.all([
        sendDeliveries(deps, round.byShard),
        sendToBots(deps, round.forBots),
      ]);
      const unsent = new Set([...undelivered, ...withheld]);
      const sent = await eachUnlessFailed(divided, laneOfTurn, async (turn) => {
        if (turn.messages.some(({ message }) => unsent.has(message.eventId)))
          throw new Error("Not sent to all recipients");
        return turn;
      });
      const requestIds = requestIdsOf(sent.flatMap(({ items }) => items));
      if (requestIds.length > 0) log.info("events-handed-on", { requestIds, shards: round.byShard.size });
      const handedOn = sent.flatMap(({ messages }) => messages);
      for (const { sample } of handedOn) noteHandled(sample);
      try {
        await Promise.all([
          outbox.completeAll(sent.flatMap(({ items }) => items)),
          counts.add({ messages: handedOn.filter(({ message }) => isMessage(message.event)).length }),
        ]);
      } catch (error) {
        for (const { lane } of sent) fail(lane, error);
      }
    }
  }

  /** @returns the results for lanes that have not failed */
  async function eachUnlessFailed<Item, Result>(
    items: readonly Item[],
    laneOf: (item: Item) => Lane,
    step: (item: Item) => Promise<Result>,
  ): Promise<Result[]> {
    const results = await Promise.all(
      items.map(async (item) => {
        try {
          return [await step(item)];
        } catch (error) {
          fail(laneOf(item), error);
          return [];
        }
      }),
    );
    return results.flat();
  }

  function fail(lane: Lane, error: unknown): void {
    lane.hasFailed = true;
    const { records, requestIds } = lane;
    log.error("fan-out-failed", { sqsMessageId: records[0]?.messageId, requestIds, error: error as Error });
  }

  async function start(record: SQSRecord, { socketId }: SocketStart): Promise<SQSRecord[]> {
    try {
      await startSocket(deps, socketId);
      return [];
    } catch (error) {
      log.error("socket-start-failed", { sqsMessageId: record.messageId, error: error as Error });
      return [record];
    }
  }

  /** @param finish called with all other messages before the lanes for Cells, whose queue may be slow */
  async function run(
    { Records }: SQSEvent,
    finish: (records: readonly SQSRecord[]) => void,
  ): Promise<SQSBatchResponse> {
    const starts: Promise<SQSRecord[]>[] = [];
    const byLane = new Map<string, Called>();
    const failed: SQSRecord[] = [];
    for (const record of Records) {
      try {
        const content: unknown = JSON.parse(record.body);
        const socket = socketStart.safeParse(content);
        if (socket.success) {
          starts.push(start(record, socket.data));
          continue;
        }
        const entry = toEntry(content, record);
        const { lane } = entry;
        const called = byLane.get(lane) ?? { lane, records: [], entries: [] };
        byLane.set(lane, called);
        called.records.push(record);
        called.entries.push(entry);
      } catch (error) {
        log.error("fan-out-failed", { sqsMessageId: record.messageId, error: error as Error });
        failed.push(record);
      }
    }
    const all = [...byLane.values()];
    const ofCells = all.filter(isForCells);
    const forwarded = Promise.all(ofCells.map(forward));
    // A full batch is a sign that more is waiting.
    const isBehind = Records.length === queues.events.batchSize;
    const lanes = all.filter((called) => !isForCells(called)).map((called) => toLane(called, { isBehind }));
    await handOn(lanes);
    const unsent = lanes.filter(({ hasFailed }) => hasFailed).flatMap(({ records }) => records);
    failed.push(...unsent, ...(await Promise.all(starts)).flat());
    const unfinished = new Set([...failed, ...ofCells.flatMap(({ records }) => records)]);
    finish(Records.filter((record) => !unfinished.has(record)));
    failed.push(...(await forwarded).flat());
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }

  return createBatchWorker(run, { ...deps, queue: "events" });
}

const messageTypes: ReadonlySet<string> = new Set([
  conversationOtrMessageAdd.type,
  conversationMlsMessageAdd.type,
]);
/** Whether an event is a message that somebody sent in a conversation. */
const isMessage = ({ type }: EventMessage["event"]) => messageTypes.has(type);

const laneOfTurn = ({ lane }: Turn) => lane;

function toEntry(content: unknown, { attributes }: SQSRecord): LaneEntry {
  const carried = carriedMessage.safeParse(content);
  if (!carried.success) return laneNudge.parse(content);
  return { ...carried.data.carried, receives: Number(attributes.ApproximateReceiveCount) };
}

/** Whether some of the messages may have been passed on already. */
const mayBeRepeated = ({ records, entries }: Called) =>
  records.some(({ attributes }) => attributes.ApproximateReceiveCount !== "1") ||
  entries.some((entry) => !isCarried(entry) && entry.isResent === true);
