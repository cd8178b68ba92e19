import { once } from "node:events";
import {
  Agent,
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

/** Header with the id of the benchmark's request that caused a call of a function. */
export const causeHeader = "x-bench-cause";

/** One call of an AWS API. Times are those of `performance.now()`. */
export interface AwsCall {
  /** Name of the service, as in `AWS_ENDPOINT_URL_<SERVICE>`. */
  readonly service: string;
  /** Such as `GetItem`. */
  readonly action: string;
  /** Id of the benchmark's request; undefined for calls that queues and timers cause. */
  readonly cause: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The table of the call, or the first of several. */
  readonly table: string | undefined;
  /** Items that queries and scans read before filtering. */
  readonly itemsRead: number;
}

interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** State that all proxies share. */
export interface Recording {
  readonly calls: AwsCall[];
  /** Calls in flight. */
  pending: number;
  /** Delay of the response to every DynamoDB call. */
  delayMilliseconds: number;
}

const readActions = new Set(["GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"]);
const writeActions = new Set([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
  // Functions execute only statements that insert.
  "BatchExecuteStatement",
]);
/** Not counted: a worker waits in this call for its next message. */
const longPoll = "ReceiveMessage";

const variable = "AWS_ENDPOINT_URL_";

/** Start a proxy in front of every endpoint in an environment. @returns the environment with their addresses */
export async function startProxies(
  environment: Readonly<Record<string, string>>,
  recording: Recording,
): Promise<{ environment: Record<string, string>; stop(): Promise<void> }> {
  const proxies = await Promise.all(
    Object.entries(environment)
      .filter(([name]) => name.startsWith(variable))
      .map(async ([name, url]) => ({
        name,
        proxy: await startProxy(name.slice(variable.length), url, recording),
      })),
  );
  return {
    environment: {
      ...environment,
      ...Object.fromEntries(proxies.map(({ name, proxy }) => [name, proxy.url])),
    },
    async stop() {
      await Promise.all(proxies.map(({ proxy }) => proxy.stop()));
    },
  };
}

const quietMilliseconds = 25;

/** Wait until workers have handled the messages of the last request. */
export async function untilQuiet(recording: Recording): Promise<void> {
  let calls: number;
  do {
    calls = recording.calls.length;
    await pause(quietMilliseconds);
  } while (recording.pending > 0 || recording.calls.length > calls);
}

export const sumOf = (calls: readonly AwsCall[], key: "readUnits" | "writeUnits" | "itemsRead") =>
  calls.reduce((sum, recorded) => sum + recorded[key], 0);

/**
 * The longest series among these calls, in which each began after the answer to the previous one. Calls that belong
 * together overlap only if their answers take long enough: record them with a delay.
 */
export function callsInSeries(calls: readonly AwsCall[]): number {
  let count = 0;
  let answeredAt = Number.NEGATIVE_INFINITY;
  for (const { startedAt, endedAt } of calls.toSorted((one, other) => one.endedAt - other.endedAt)) {
    if (startedAt < answeredAt) continue;
    count++;
    answeredAt = endedAt;
  }
  return count;
}

/** Start a proxy for an AWS endpoint that records each call and asks DynamoDB for the capacity that it consumes. */
async function startProxy(service: string, target: string, recording: Recording): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const action = actionOf(request);
    const isCounted = action !== longPoll;
    if (isCounted) recording.pending++;
    try {
      const body = askForCapacity(action, await buffer(request));
      const answer = await send(request, body);
      const answerBody = await buffer(answer);
      if (service === "DYNAMODB" && recording.delayMilliseconds > 0) await pause(recording.delayMilliseconds);
      if (isCounted) {
        const cause = request.headers[causeHeader]?.toString();
        const endedAt = performance.now();
        recording.calls.push({
          service,
          action,
          cause,
          startedAt,
          endedAt,
          ...consumption(action, answerBody),
        });
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers).end(answerBody);
    } finally {
      if (isCounted) recording.pending--;
    }
  }

  async function send(request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const outgoing = forward(new URL(request.url ?? "/", target), {
      method: request.method,
      headers: { ...request.headers, "content-length": body.length },
      agent,
    }).end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return answer;
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

function actionOf({ method, url, headers }: IncomingMessage): string {
  const target = headers["x-amz-target"]?.toString();
  return target === undefined ? `${method} ${url}` : target.slice(target.indexOf(".") + 1);
}

/** This changes a signed body, but the emulators check no signatures. */
function askForCapacity(action: string, body: Buffer): Buffer {
  if (!readActions.has(action) && !writeActions.has(action)) return body;
  return Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), ReturnConsumedCapacity: "TOTAL" }));
}

function consumption(
  action: string,
  answer: Buffer,
): Pick<AwsCall, "readUnits" | "writeUnits" | "itemsRead" | "table"> {
  const isWrite = writeActions.has(action);
  if (!isWrite && !readActions.has(action)) {
    return { readUnits: 0, writeUnits: 0, itemsRead: 0, table: undefined };
  }
  const { ConsumedCapacity = [], ScannedCount = 0 } = JSON.parse(answer.toString());
  const consumed = [ConsumedCapacity].flat();
  const units = consumed.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
  return {
    readUnits: isWrite ? 0 : units,
    writeUnits: isWrite ? units : 0,
    itemsRead: ScannedCount,
    table: consumed[0]?.TableName,
  };
}
