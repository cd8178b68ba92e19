import { pricesIn, requestsPerMessage } from "./pricing/price-list.ts";

/** The region whose prices are used to compare operations and teams, independent of the region of a stage. */
export const prices = pricesIn("us-east-1");

/** The access-log line of a request, and the lines START, END and REPORT of Lambda, with 26 bytes for each. */
const logBytesPerInvocation = 240 + 300 + 4 * 26;

/**
 * Lambda gives a function one core at this memory size, and a proportional share below ("Configure Lambda function
 * memory").
 */
const megabytesPerCore = 1769;
/** Assumed duration of a call to DynamoDB or SQS within a region; the emulators answer faster. */
const awsCallMilliseconds = 4;

const logPrice = (logBytesPerInvocation / 1e9) * prices.logGigabyte;

/** Duration of an invocation on Lambda: its CPU time at its share of a core, and the calls it waits for. */
export function billedMilliseconds({
  cpuMilliseconds,
  callsInSeries,
  memoryMegabytes,
}: {
  readonly cpuMilliseconds: number;
  readonly callsInSeries: number;
  readonly memoryMegabytes: number;
}): number {
  const shareOfCore = Math.min(1, memoryMegabytes / megabytesPerCore);
  return Math.ceil(cpuMilliseconds / shareOfCore + callsInSeries * awsCallMilliseconds);
}

/** The consumption of one request, including work after its response. */
export interface Usage {
  readonly billedMilliseconds: number;
  readonly memoryMegabytes: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queuedMessages: number;
  readonly emails: number;
}

export interface Costs {
  /** API Gateway, Lambda, DynamoDB, SQS, logs. */
  readonly requests: number;
  readonly emails: number;
}

/** Dollars per million requests, including the queue worker's reads and writes, but not its run time. */
export function costsPerMillion(usage: Usage): Costs {
  const gigabyteSeconds = (usage.billedMilliseconds / 1000) * (usage.memoryMegabytes / 1024);
  const perRequest =
    prices.httpApiRequest +
    prices.lambdaRequest * (1 + usage.queuedMessages) +
    prices.lambdaGigabyteSecond * gigabyteSeconds +
    prices.dynamodbReadUnit * usage.readUnits +
    prices.dynamodbWriteUnit * usage.writeUnits +
    prices.sqsRequest * requestsPerMessage * usage.queuedMessages +
    logPrice * (1 + usage.queuedMessages);
  return { requests: perRequest * 1e6, emails: prices.sesEmail * usage.emails * 1e6 };
}

/** The consumption of one event until all its recipients have received it. */
export interface EventUsage {
  readonly recipients: number;
  readonly functionMilliseconds: number;
  readonly memoryMegabytes: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queuedMessages: number;
}

/** Dollars per million deliveries to recipients with one open socket on `/await`; the socket's minutes are extra. */
export function costPerMillionDeliveries(usage: EventUsage): { stored: number; posted: number } {
  const gigabyteSeconds = (usage.functionMilliseconds / 1000) * (usage.memoryMegabytes / 1024);
  const perEvent =
    prices.lambdaRequest * usage.queuedMessages +
    prices.lambdaGigabyteSecond * gigabyteSeconds +
    prices.dynamodbReadUnit * usage.readUnits +
    prices.dynamodbWriteUnit * usage.writeUnits +
    prices.sqsFifoRequest * requestsPerMessage * usage.queuedMessages +
    logPrice * usage.queuedMessages;
  return { stored: (perEvent / usage.recipients) * 1e6, posted: prices.webSocketMessage * 1e6 };
}

/** Dollars per month for this number of sockets, open all the time. */
export const monthlyCostOfSockets = (sockets: number) =>
  sockets * 30 * 24 * 60 * prices.webSocketConnectionMinute;

/**
 * The consumption of a payer, in dollars: calls of the API, run time, units, queues, frames and logs. Traffic, the
 * minutes of sockets, mails and scheduled work are not included.
 */
export const dollarsOf = (consumed: {
  readonly requests: number;
  readonly invocations: number;
  readonly gigabyteSeconds: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queuedMessages: number;
  readonly frames: number;
}): number =>
  prices.httpApiRequest * consumed.requests +
  (prices.lambdaRequest + logPrice) * consumed.invocations +
  prices.lambdaGigabyteSecond * consumed.gigabyteSeconds +
  prices.dynamodbReadUnit * consumed.readUnits +
  prices.dynamodbWriteUnit * consumed.writeUnits +
  prices.sqsFifoRequest * requestsPerMessage * consumed.queuedMessages +
  prices.webSocketMessage * consumed.frames;
