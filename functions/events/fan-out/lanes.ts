import type { SQSRecord } from "aws-lambda";
import { type EventMessage, eventMessage, mayBeUnfinished } from "#shared/events/event-message.ts";
import { conversationOf, isOfConversation } from "#shared/events/publisher.ts";
import {
  carriedMessage,
  laneNudge,
  type OutboxItem,
  readLane,
} from "#shared/platform/messaging/outbox-item.ts";
import { isCarried, type LaneEntry } from "#shared/platform/messaging/outbox-worker.ts";
import { requestIdsOf } from "#shared/platform/request-id.ts";
import type { Sample } from "#shared/platform/usage/sample.ts";
import type { Deps } from "./deps.ts";

/** Limits for the messages of a lane that are handed on together: their number and approximate size. */
const partSize = 20;
const partBytes = 1024 * 1024;

/** A lane that queue messages name, with these messages and their contents, in order. */
export interface DueLane {
  readonly lane: string;
  readonly records: SQSRecord[];
  readonly entries: LaneEntry[];
}

/** A lane of the outbox whose messages are being handed on. */
export interface OpenLane {
  /** The conversation, user or team whose events it has; broadcasts are in the lane of their sender. */
  readonly ownerId: string;
  /** The queue messages that name it. */
  readonly records: readonly SQSRecord[];
  readonly items: AsyncGenerator<OutboxItem>;
  readonly isRepeated: boolean;
  /** Ids of the requests that have caused the events. */
  requestIds: readonly string[];
  hasFailed: boolean;
  isDone: boolean;
}

/** The messages of a lane that are handed on together. */
export interface LanePart {
  readonly lane: OpenLane;
  readonly items: OutboxItem[];
  readonly messages: {
    readonly message: EventMessage;
    readonly isRepeated: boolean;
    readonly requestId: string | undefined;
    readonly sample: Sample | undefined;
  }[];
}

/** @throws ZodError for a queue message that names no lane */
export function toLaneEntry(content: unknown, { attributes }: SQSRecord): LaneEntry {
  const carried = carriedMessage.safeParse(content);
  if (!carried.success) return laneNudge.parse(content);
  return { ...carried.data.carried, receives: Number(attributes.ApproximateReceiveCount) };
}

/** Whether some of a lane's messages may have been handed on already. */
export const mayBeRepeated = ({ records, entries }: DueLane): boolean =>
  records.some(({ attributes }) => attributes.ApproximateReceiveCount !== "1") ||
  entries.some((entry) => !isCarried(entry) && entry.isResent === true);

/** @param options.isBehind whether more messages are waiting */
export function openLane(deps: Deps, due: DueLane, { isBehind }: { isBehind: boolean }): OpenLane {
  const isRepeated = mayBeRepeated(due);
  const { group = "" } = readLane(due.lane) ?? {};
  return {
    ownerId: conversationOf(group) ?? group,
    records: due.records,
    items: pendingItems(deps, due, { isRepeated, isBehind: isBehind || isRepeated }),
    isRepeated,
    requestIds: [],
    hasFailed: false,
    isDone: false,
  };
}

/** Lanes of conversations are not read ahead, because the queue itself may carry earlier messages. */
function pendingItems(
  { outbox }: Deps,
  { lane, entries }: DueLane,
  { isRepeated, isBehind }: { isRepeated: boolean; isBehind: boolean },
): AsyncGenerator<OutboxItem> {
  if (entries.some(isCarried)) return outbox.pendingAround(entries, { isRepeated });
  const mayReadAhead = !isOfConversation(readLane(lane)?.group ?? "");
  return outbox.pendingOf(entries, { isRepeated, isBehind: isBehind && mayReadAhead });
}

/** Takes the next messages of a lane, and parks those that cannot be read. Sets `isDone` after the last ones. */
export async function takePart({ clock, outbox }: Deps, lane: OpenLane): Promise<LanePart> {
  const part: LanePart = { lane, items: [], messages: [] };
  let bytes = 0;
  while (part.items.length < partSize && bytes < partBytes) {
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
    const { requestId, sample } = item;
    part.items.push(item);
    part.messages.push({ message: message.data, isRepeated, requestId, sample });
    bytes += item.bytes;
  }
  lane.requestIds = requestIdsOf(part.items);
  return part;
}
