import { gunzipSync } from "node:zlib";
import type { CloudWatchLogsEvent } from "aws-lambda";
import * as z from "zod";
import { parseSocketLog } from "#shared/events/sockets/socket-log.ts";
import { allDone } from "#shared/platform/all-done.ts";
import type { Deps } from "./deps.ts";
import { endFlood } from "./end-flood.ts";
import type { TimedFrame } from "./flood-watch.ts";

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
