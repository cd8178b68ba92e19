import { setTimeout as delay } from "node:timers/promises";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { isDeviceSocket } from "#shared/events/sockets/device-queues.ts";
import { relayOf } from "#shared/events/sockets/relay.ts";
import { relayLifeMilliseconds } from "#shared/events/sockets/relay-store.ts";
import { type Socket, type SocketStart, socketStart } from "#shared/events/sockets/socket.ts";
import { createBatchWorker } from "#shared/platform/messaging/batch-worker.ts";
import { queues } from "#shared/registry/queues.ts";
import type { Deps } from "./deps.ts";
import { forwardToCells, isForCells } from "./forward-to-cells.ts";
import { handOn } from "./hand-on.ts";
import { type DueLane, mayBeRepeated, openLane, toLaneEntry } from "./lanes.ts";

export { createDeps } from "./deps.ts";

/** The messages of a batch by what they ask for. */
interface Due {
  readonly lanes: readonly DueLane[];
  readonly sockets: readonly { readonly record: SQSRecord; readonly start: SocketStart }[];
  readonly unreadable: readonly SQSRecord[];
}

/**
 * Handle messages from the queue `events`. Most are nudges, which name a group's lane in the outbox and a message in it:
 * the lane's messages, at least up to that one, are handed on in order. After a failure, the lane stops: the queue
 * repeats the nudge, and no message overtakes.
 */
export function createHandler(deps: Deps) {
  /** @param finish called with all other messages before the lanes for Cells, whose queue may be slow */
  async function run(
    { Records }: SQSEvent,
    finish: (records: readonly SQSRecord[]) => void,
  ): Promise<SQSBatchResponse> {
    const due = read(deps, Records);
    const started = Promise.all(due.sockets.map(({ record, start }) => startOne(deps, record, start)));
    const ofCells = due.lanes.filter(isForCells);
    const forwarded = Promise.all(ofCells.map((lane) => forward(deps, lane)));
    // A full batch is a sign that more is waiting.
    const isBehind = Records.length === queues.events.batchSize;
    const lanes = due.lanes
      .filter((lane) => !isForCells(lane))
      .map((lane) => openLane(deps, lane, { isBehind }));
    await handOn(deps, lanes);
    const unsent = lanes.filter(({ hasFailed }) => hasFailed).flatMap(({ records }) => records);
    const failed = [...due.unreadable, ...unsent, ...(await started).flat()];
    const unfinished = new Set([...failed, ...ofCells.flatMap(({ records }) => records)]);
    finish(Records.filter((record) => !unfinished.has(record)));
    failed.push(...(await forwarded).flat());
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }

  return createBatchWorker(run, { ...deps, queue: "events" });
}

function read({ log }: Deps, records: readonly SQSRecord[]): Due {
  const lanes = new Map<string, DueLane>();
  const sockets: Due["sockets"][number][] = [];
  const unreadable: SQSRecord[] = [];
  for (const record of records) {
    try {
      const content: unknown = JSON.parse(record.body);
      const socket = socketStart.safeParse(content);
      if (socket.success) {
        sockets.push({ record, start: socket.data });
        continue;
      }
      const entry = toLaneEntry(content, record);
      const { lane } = entry;
      const due = lanes.get(lane) ?? { lane, records: [], entries: [] };
      lanes.set(lane, due);
      due.records.push(record);
      due.entries.push(entry);
    } catch (error) {
      log.error("fan-out-failed", { sqsMessageId: record.messageId, error: error as Error });
      unreadable.push(record);
    }
  }
  return { lanes: [...lanes.values()], sockets, unreadable };
}

/** @returns the queue message, if it must come again */
async function startOne(deps: Deps, record: SQSRecord, { socketId }: SocketStart): Promise<SQSRecord[]> {
  try {
    await startSocket(deps, socketId);
    return [];
  } catch (error) {
    deps.log.error("socket-start-failed", { sqsMessageId: record.messageId, error: error as Error });
    return [record];
  }
}

/** @returns the queue messages, if they must come again */
async function forward(deps: Deps, lane: DueLane): Promise<readonly SQSRecord[]> {
  const { records, entries } = lane;
  try {
    await forwardToCells(deps, entries, { isRepeated: mayBeRepeated(lane) });
    return [];
  } catch (error) {
    deps.log.error("cells-forwarding-failed", { sqsMessageId: records[0]?.messageId, error: error as Error });
    return records;
  }
}

/** How long to wait for the answer to `$connect`. Short, because events of others may wait for the same batch. */
const polling = { attempts: 60, pauseMilliseconds: 50 };

/**
 * Send the contents of a device's queue to its socket, as soon as the socket can be posted to.
 * @throws Error when the socket neither opens nor closes, so that the message comes again later
 */
async function startSocket(deps: Deps, socketId: string): Promise<void> {
  const { deviceQueues, poster, sockets } = deps;
  for (let attempt = 0; attempt < polling.attempts; attempt++) {
    const socket = await sockets.get(socketId);
    if (socket === undefined || !isDeviceSocket(socket)) return;
    if ((await poster.stateOf(socketId)) === "open") {
      const isServed = await deviceQueues.start(socket);
      if (!isServed && relayOf(socketId) !== undefined) await checkLater(deps, socket);
      return;
    }
    await delay(polling.pauseMilliseconds);
  }
  throw new Error(`The socket ${socketId} did not open`);
}

/** The socket that this one waits for may be on a relay that has just died, without anybody knowing yet. */
const checkLater = ({ checks, clock }: Deps, { userId }: Socket) =>
  checks.request({ checkedUserId: userId, notBefore: clock() + relayLifeMilliseconds });
