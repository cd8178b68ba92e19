// Starts the bundle of a function as Lambda does, and sends its parent the milliseconds of CPU time.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface StartTimes {
  /** CPU time of loading; if a request follows, including the warm-up. */
  readonly loadMilliseconds: number;
  /** CPU time of the first request; 0 without one. */
  readonly requestMilliseconds: number;
}

const [, , bundle = "", eventFile] = process.argv;
const event = eventFile === undefined ? undefined : JSON.parse(readFileSync(eventFile, "utf8"));
const require = createRequire(import.meta.url);

const beforeLoading = process.cpuUsage();
const { handler } = event === undefined ? require(bundle) : await import(join(dirname(bundle), "start.mjs"));
const loadMilliseconds = millisecondsSince(beforeLoading);

let requestMilliseconds = 0;
if (event !== undefined) {
  const beforeRequest = process.cpuUsage();
  const { statusCode, body } = await handler(event, {});
  requestMilliseconds = millisecondsSince(beforeRequest);
  if (statusCode >= 300) throw new Error(`The first request failed: ${statusCode} ${body}`);
}
process.send?.({ loadMilliseconds, requestMilliseconds } satisfies StartTimes);
process.disconnect?.();

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
