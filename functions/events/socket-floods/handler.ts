import { gunzipSync } from "node:zlib";
import type { CloudWatchLogsEvent } from "aws-lambda";
import * as z from "zod";
import { parseSocketLog } from "#shared/events/sockets/socket-log.ts";
import { socketParts } from "#shared/events/sockets/socket-parts.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { refusalAfterFlood } from "#shared/sessions/flood-refusal.ts";
import { FloodWatch, type TimedFrame } from "./flood-watch.ts";

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
