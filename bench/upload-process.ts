// Runs the bundle of the function `assets` as Lambda does, and nothing else, so that its memory can be measured. It
// handles the upload that its parent names, and reports the peak memory of the process.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** A command to the process. */
export interface UploadCommand {
  /** The bundle, whose settings are in environment variables. */
  readonly file: string;
  /** File with the event. It is read for each upload, since Lambda also passes a new event each time. */
  readonly eventFile: string;
  readonly uploads: number;
  readonly concurrency: number;
}

/** Its answer. */
export interface UploadReport {
  /** Peak memory after loading the code. */
  readonly loadedMegabytes: number;
  readonly peakMegabytes: number;
  readonly cpuMilliseconds: number;
  readonly seconds: number;
}

type Handler = (event: unknown, context: object) => Promise<{ statusCode: number; body: string }>;

const [{ file, eventFile, uploads, concurrency }] = (await once(process, "message")) as [UploadCommand];
const { handler } = createRequire(import.meta.url)(file) as { handler: Handler };
/** Sampled, because the maximum that the system reports starts with the memory of the process that forked this one. */
const megabytes = () => process.memoryUsage.rss() / 1024 ** 2;
const loadedMegabytes = megabytes();
let peakMegabytes = loadedMegabytes;
const sample = () => {
  peakMegabytes = Math.max(peakMegabytes, megabytes());
};
const sampling = setInterval(sample, 5);
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
let begun = 0;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (begun < uploads) {
      begun++;
      const { statusCode, body } = await handler(JSON.parse(readFileSync(eventFile, "utf8")), {});
      sample();
      if (statusCode !== 201) throw new Error(`An upload was answered ${statusCode}: ${body}`);
    }
  }),
);
clearInterval(sampling);
const { user, system } = process.cpuUsage(cpuBefore);
process.send?.({
  loadedMegabytes,
  peakMegabytes,
  cpuMilliseconds: (user + system) / 1000 / uploads,
  seconds: (performance.now() - startedAt) / 1000,
} satisfies UploadReport);
process.disconnect();
