import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { families } from "#functions/families.ts";
import { bundleFunctions, settingsFile } from "#lib/bundle/bundle.ts";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { functionEnvironment } from "#lib/local/function-environment.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { seedUser } from "../test/support/seeded-users.ts";
import { uploadBody } from "../test/support/upload-body.ts";
import { forkStack } from "./forked-stack.ts";
import type { UploadCommand, UploadReport } from "./upload-process.ts";

/** Uploads to one instance of the function. */
export interface AssetFigures extends UploadReport {
  readonly megabytes: number;
  readonly uploads: number;
  /** Concurrent uploads; on Lambda, an instance handles one at a time. */
  readonly concurrency: number;
}

const prefix = "uploads";
const largest = 4_600_000;
const runs = [
  { bytes: 1_000_000, uploads: 1, concurrency: 1 },
  { bytes: 1_000_000, uploads: 100, concurrency: 1 },
  { bytes: 1_000_000, uploads: 100, concurrency: 100 },
  { bytes: largest, uploads: 20, concurrency: 1 },
];

/** Measure the memory that the function for assets needs, in a process that runs only its bundle. */
export async function measureAssets({ environment, folder }: Emulators): Promise<AssetFigures[]> {
  const outdir = mkdtempSync(join(tmpdir(), "parley-bench-"));
  const forked = forkStack();
  try {
    const settings = parseSettings({});
    await forked.ask({ command: "start", settings: {}, prefix, environment, folder });
    await bundleFunctions({ outdir, settings });
    const stack = { prefix, settings, clock: systemClock };
    const { token } = await seedUser("ada@example.com", "correct horse battery", {}, stack);
    const figures: AssetFigures[] = [];
    for (const { bytes, uploads, concurrency } of runs) {
      const eventFile = join(outdir, "event.json");
      writeFileSync(eventFile, eventOf(token, Buffer.alloc(bytes, "x")));
      const report = await runUploads(outdir, { eventFile, uploads, concurrency });
      figures.push({ megabytes: bytes / 1_000_000, uploads, concurrency, ...report });
    }
    return figures;
  } finally {
    await forked.stop();
    rmSync(outdir, { recursive: true, force: true });
  }
}

async function runUploads(outdir: string, command: Omit<UploadCommand, "file">): Promise<UploadReport> {
  const manifest = families.find(({ name }) => name === "assets");
  if (manifest === undefined) throw new Error("There is no family named assets");
  const nameOf = (resource: string) => `${prefix}-${resource}`;
  const child = fork(new URL("upload-process.ts", import.meta.url), {
    env: {
      ...process.env,
      ...functionEnvironment(manifest, {
        settingsFile: join(outdir, manifest.name, settingsFile),
        publicUrl: "https://api.example.com",
        docsAssets: outdir,
        logLevel: "CRITICAL",
        relayQueues: "",
        socketsEndpoint: "",
        tableName: nameOf,
        bucketName: nameOf,
        queueUrl: nameOf,
        secretId: nameOf,
      }),
    },
  });
  child.send({ ...command, file: join(outdir, manifest.name, "index.js") } satisfies UploadCommand);
  const ended = once(child, "exit").then(() => [undefined]);
  const [report] = (await Promise.race([once(child, "message"), ended])) as [UploadReport | undefined];
  if (report === undefined) throw new Error("The process with the function has ended");
  await ended;
  return report;
}

/** An upload as an HTTP API passes it to a function. */
const eventOf = (token: string, content: Buffer): string =>
  JSON.stringify({
    version: "2.0",
    rawPath: "/v8/assets",
    rawQueryString: "",
    headers: { authorization: `Bearer ${token}`, "content-type": "multipart/mixed; boundary=frontier" },
    requestContext: {
      domainName: "api.example.com",
      http: { method: "POST", path: "/v8/assets", sourceIp: "192.0.2.1" },
      requestId: "bench",
    },
    body: uploadBody({ content }).toString("base64"),
    isBase64Encoded: true,
  });
