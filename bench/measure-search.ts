import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { startStack } from "#lib/local/stack.ts";
import { entryItemsOf } from "#shared/accounts/search/search-index-store.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type BenchRequest, call } from "./api-client.ts";
import { forkStack } from "./forked-stack.ts";
import { activatedToken } from "./operations.ts";
import { type AwsCall, type Recording, startProxies, sumOf, untilQuiet } from "./recording-proxy.ts";
import { firstName, population, surname } from "./search-population.ts";
import { mean, percentile } from "./table.ts";

export interface SearchFigures {
  readonly search: string;
  readonly found: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** Mean time in gateway and function. */
  readonly handlerMilliseconds: number;
  readonly dynamodbCalls: number;
  readonly itemsRead: number;
  readonly readUnits: number;
}

export const indexedUsers = 100_000;
const prefix = "search";
const amounts = { warmUp: 20, measured: 200 };

const common = firstName(0).toLowerCase();
const handle = [...population(50)].findLast((user) => user.handle !== undefined)?.handle;

const searches: Readonly<Record<string, string>> = {
  "one letter": common.slice(0, 1),
  "three letters": common.slice(0, 3),
  "common first name": common,
  "common first name and surname": `${common} ${surname(0)}`,
  "common first name and a letter": `${common} ${surname(7).charAt(0)}`,
  "rare first name": firstName(2900),
  "exact handle": `@${handle}`,
  unknown: "xyzzy",
};

/** Measure latency and consumption of searches among many users. */
export async function measureSearch(emulators: Emulators): Promise<SearchFigures[]> {
  const { environment, folder } = emulators;
  const forked = forkStack();
  const times = new Map<string, { milliseconds: number[]; handlerMilliseconds: number }>();
  const request = (query: string, token: string): BenchRequest => ({
    method: "GET",
    path: `/search/contacts?${new URLSearchParams({ q: query })}`,
    headers: { authorization: `Bearer ${token}` },
  });
  let token: string;
  try {
    const { publicUrl, internalUrl } = await forked.ask({
      command: "start",
      settings: {},
      prefix,
      environment,
      folder,
    });
    token = await activatedToken({ prefix, publicUrl, internalUrl, advance: () => {} });
    await seed();
    for (const [search, query] of Object.entries(searches)) {
      const send = async (count: number) => {
        const milliseconds: number[] = [];
        for (let sent = 0; sent < count; sent++) {
          milliseconds.push((await call(publicUrl, request(query, token), 200)).milliseconds);
        }
        return milliseconds;
      };
      await send(amounts.warmUp);
      await forked.ask({ command: "report" });
      const milliseconds = await send(amounts.measured);
      const report = await forked.ask({ command: "report" });
      times.set(search, { milliseconds, handlerMilliseconds: mean(report.handlerMilliseconds) });
    }
  } finally {
    await forked.stop();
  }
  const counts = await countReads(emulators, (query) => request(query, token));
  return Object.keys(searches).map((search) => {
    const { milliseconds = [], handlerMilliseconds = Number.NaN } = times.get(search) ?? {};
    return {
      search,
      p50Milliseconds: percentile(milliseconds, 0.5),
      p99Milliseconds: percentile(milliseconds, 0.99),
      handlerMilliseconds,
      ...(counts.get(search) as Counts),
    };
  });
}

const batchSize = 25;
const concurrentBatches = 8;

/** Put the users directly into the index: through accounts and the queue, it would take hours. */
async function seed(): Promise<void> {
  const dynamo = createDynamo();
  const items = allEntryItems();
  const work = async () => {
    for (let batch = take(items, batchSize); batch.length > 0; batch = take(items, batchSize)) {
      const RequestItems = { [`${prefix}-search`]: batch.map((Item) => ({ PutRequest: { Item } })) };
      await dynamo.send(new BatchWriteCommand({ RequestItems }));
    }
  };
  await Promise.all(Array.from({ length: concurrentBatches }, work));
  dynamo.destroy();
}

function* allEntryItems() {
  for (const document of population(indexedUsers)) yield* entryItemsOf(document);
}

function take<Item>(items: Iterator<Item>, count: number): Item[] {
  const taken: Item[] = [];
  for (let next = items.next(); !next.done; next = items.next()) {
    taken.push(next.value);
    if (taken.length === count) break;
  }
  return taken;
}

type Counts = Pick<SearchFigures, "found" | "dynamodbCalls" | "itemsRead" | "readUnits">;

/** Counted with a second stack on the same data, whose calls all pass a recording proxy. */
async function countReads(
  emulators: Emulators,
  requestFor: (query: string) => BenchRequest,
): Promise<Map<string, Counts>> {
  const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
  const proxies = await startProxies(emulators.environment, recording);
  const { environment } = proxies;
  Object.assign(process.env, environment);
  const stack = await startStack({
    settings: {},
    prefix,
    emulators: { environment, folder: emulators.folder },
  });
  try {
    const counts = new Map<string, Counts>();
    for (const [search, query] of Object.entries(searches)) {
      await untilQuiet(recording);
      recording.calls.length = 0;
      const { body } = await call(stack.publicUrl, requestFor(query), 200);
      await untilQuiet(recording);
      const reads = recording.calls.filter(({ service }: AwsCall) => service === "DYNAMODB");
      counts.set(search, {
        found: body.found,
        dynamodbCalls: reads.length,
        itemsRead: sumOf(reads, "itemsRead"),
        readUnits: sumOf(reads, "readUnits"),
      });
    }
    return counts;
  } finally {
    await stack.stop();
    await proxies.stop();
    Object.assign(process.env, emulators.environment);
  }
}
