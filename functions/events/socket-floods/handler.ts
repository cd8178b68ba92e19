import { gunzipSync } from "node:zlib";
import type { CloudWatchLogsEvent } from "aws-lambda";
import * as z from "zod";
import { FrameBudget } from "#shared/events/sockets/frame-limits.ts";
import { type LoggedFrame, parseSocketLog } from "#shared/events/sockets/socket-log.ts";
import { socketParts } from "#shared/events/sockets/socket-parts.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { refusalAfterFlood } from "#shared/sessions/flood-refusal.ts";

/** A frame, and when it was logged (unix milliseconds). */
export interface TimedFrame extends LoggedFrame {
  readonly at: number;
}

/** Maximum number of sockets that an instance remembers: some 20 MB. */
const maxRemembered = 100_000;

/**
 * Counts the frames of sockets across batches of the log: a flood may be spread over many. Remembers only sockets that
 * have sent something in the last few seconds. Each instance of the function has its own counts, so that a flood may
 * last somewhat longer where many run.
 */
export class FloodWatch {
  readonly #budgets = new Map<string, FrameBudget>();

  /** @returns ids of the flooding sockets, with the number of their frames in this batch */
  findFloods(frames: Iterable<TimedFrame>): Map<string, number> {
    const counts = new Map<string, number>();
    const floods = new Set<string>();
    let latest = 0;
    for (const { socketId, kind, at } of frames) {
      latest = Math.max(latest, at);
      counts.set(socketId, (counts.get(socketId) ?? 0) + 1);
      if (!this.#budgetOf(socketId, at).take(kind, at)) floods.add(socketId);
    }
    this.#forget(latest);
    return new Map([...counts].filter(([socketId]) => floods.has(socketId)));
  }

  #budgetOf(socketId: string, at: number): FrameBudget {
    let budget = this.#budgets.get(socketId);
    if (budget === undefined) {
      budget = new FrameBudget(at);
      this.#budgets.set(socketId, budget);
    }
    return budget;
  }

  #forget(at: number): void {
    for (const [socketId, budget] of this.#budgets) {
      if (budget.isFull(at)) this.#budgets.delete(socketId);
    }
    // Oldest first.
    for (const socketId of this.#budgets.keys()) {
      if (this.#budgets.size <= maxRemembered) return;
      this.#budgets.delete(socketId);
    }
  }
}

/** Far more than a batch of CloudWatch has, and less than the memory of the function. */
const maxBatchBytes = 32 * 1024 * 1024;

const logBatch = z.object({ logEvents: z.array(z.object({ timestamp: z.int(), message: z.string() })) });

/** Handle a batch of lines from the log of the WebSocket API. */
export function createHandler(deps: Deps) {
  return async (event: CloudWatchLogsEvent): Promise<void> => {
    const floods = deps.watch.findFloods(framesIn(event));
    await allDone([...floods].map(([socketId, frames]) => endFlood(deps, socketId, frames)));
  };
}

function* framesIn({ awslogs }: CloudWatchLogsEvent): Generator<TimedFrame> {
  const bytes = gunzipSync(Buffer.from(awslogs.data, "base64"), { maxOutputLength: maxBatchBytes });
  for (const { timestamp, message } of logBatch.parse(JSON.parse(bytes.toString())).logEvents) {
    const frame = parseSocketLog(message);
    if (frame !== undefined) yield { ...frame, at: timestamp };
  }
}

/**
 * Close a socket whose client floods it, and let its session open no other one for some minutes. Does nothing for a
 * socket that has closed already.
 * @throws Error when it cannot be closed; its next frames lead to another attempt
 */
async function endFlood(
  { clock, deviceQueues, log, poster, sockets }: Deps,
  socketId: string,
  frames: number,
): Promise<void> {
  const socket = await sockets.get(socketId);
  // Refuse first, because the client may reconnect at once.
  if (socket !== undefined) await sockets.refuse(socket.userId, refusalAfterFlood(socket, clock()));
  const outcome = await poster.close(socketId);
  if (outcome === "failed") throw new Error(`The flooded socket ${socketId} could not be closed`);
  if (outcome === "gone") {
    if (socket !== undefined) await deviceQueues.retire(socket);
    return;
  }
  log.warn("socket-flood", { socketId, userId: socket?.userId, clientId: socket?.clientId, frames });
  emitMetric("FloodedSockets", { value: 1, unit: "Count", audience: "public", log });
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...socketParts,
  watch: FloodWatch,
});
