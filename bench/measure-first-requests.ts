import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunctions } from "#lib/bundle/bundle.ts";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { BenchRequest, BenchStack } from "./api-client.ts";
import { type BundledFunction, bundledFunction, manifests, timeStart } from "./bundled-functions.ts";
import { createTokenSigner } from "./event-client.ts";
import { forkStack } from "./forked-stack.ts";
import { httpEvent } from "./http-event.ts";
import { unlimited } from "./measure-load.ts";
import { newConversation, nextNumber, tokenOf } from "./measure-messages.ts";
import { operations } from "./operations.ts";
import { median } from "./table.ts";
import type { StartTimes } from "./time-start.ts";

/** CPU time of a freshly started function until its first answer. */
export interface FirstRequestFigures extends StartTimes {
  readonly request: string;
  readonly functionName: string;
}

interface FirstRequest {
  readonly request: string;
  readonly functionName: string;
  prepare(stack: BenchStack, count: number): Promise<BenchRequest[]>;
}

const prefix = "first-requests";
const rounds = 11;
const members = 10;

const operation = (name: string, functionName: string): FirstRequest => {
  const found = operations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`The benchmark has no operation ${name}`);
  return { request: name, functionName, prepare: (stack, count) => found.prepare(stack, count) };
};

/** The requests for which people wait most often. */
const firstRequests: readonly FirstRequest[] = [
  operation("GET /self", "self"),
  operation("POST /access", "sessions"),
  operation("GET /notifications", "notifications"),
  operation("GET /conversations, 10 members", "conversations"),
  operation("POST /conversations, 10 members", "conversations"),
  {
    request: `message to ${members} members`,
    functionName: "conversations",
    async prepare(_, count) {
      const [sign, conversation] = await Promise.all([
        createTokenSigner(prefix),
        newConversation(members, prefix),
      ]);
      const headers = { authorization: `Bearer ${tokenOf(sign, conversation)}` };
      return Array.from({ length: count }, () => ({ ...conversation.request(nextNumber()), headers }));
    },
  },
];

interface Prepared extends FirstRequest {
  readonly bundled: BundledFunction;
  readonly requests: readonly BenchRequest[];
  readonly times: StartTimes[];
}

/** Start functions in fresh processes, each for one request. */
export async function measureFirstRequests({
  environment,
  folder,
}: Pick<Emulators, "environment" | "folder">): Promise<FirstRequestFigures[]> {
  const outdir = mkdtempSync(join(tmpdir(), "parley-bench-"));
  const forked = forkStack();
  try {
    const urls = await forked.ask({
      command: "start",
      settings: unlimited,
      prefix,
      environment,
      folder,
    });
    const stack = { ...urls, prefix, advance: () => undefined };
    await bundleFunctions({
      outdir,
      settings: parseSettings({}),
      manifests: manifests.filter(({ name }) =>
        firstRequests.some(({ functionName }) => functionName === name),
      ),
    });
    const prepared: Prepared[] = [];
    for (const one of firstRequests) {
      const manifest = manifests.find(({ name }) => name === one.functionName);
      if (manifest === undefined) throw new Error(`There is no function ${one.functionName}`);
      const nameOf = (resource: string) => `${prefix}-${resource}`;
      const bundled = bundledFunction(manifest, outdir, nameOf, environment.AWS_ENDPOINT_URL_SQS);
      prepared.push({ ...one, bundled, requests: await one.prepare(stack, rounds + 1), times: [] });
    }
    const file = join(outdir, "event.json");
    // Round by round, so that a busy moment of the machine does not affect a single request; the first only warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const { bundled, requests, times } of prepared) {
        writeFileSync(file, JSON.stringify(httpEvent(requests[round] as BenchRequest)));
        const measured = await timeStart(bundled, { file, environment });
        if (round > 0) times.push(measured);
      }
    }
    return prepared.map(({ request, functionName, times }) => ({
      request,
      functionName,
      loadMilliseconds: median(times.map(({ loadMilliseconds }) => loadMilliseconds)),
      requestMilliseconds: median(times.map(({ requestMilliseconds }) => requestMilliseconds)),
    }));
  } finally {
    await forked.stop();
    rmSync(outdir, { recursive: true, force: true });
  }
}
