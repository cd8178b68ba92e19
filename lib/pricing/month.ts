import { queues } from "#shared/registry/queues.ts";
import { secrets } from "#shared/registry/secrets.ts";
import { assumptions, hoursPerMonth, type Load, monthlyOf, tasksFor } from "./load.ts";
import { balancerUnit, type Prices, requestsPerMessage } from "./price-list.ts";

/** Parts of a bill. */
export const services = [
  "CloudFront",
  "AWS WAF",
  "API Gateway",
  "Lambda",
  "DynamoDB requests",
  "DynamoDB storage",
  "SQS",
  "S3",
  "data transfer",
  "Fargate and load balancer",
  "CloudWatch logs",
  "CloudWatch alarms and metrics",
  "SES",
  "Secrets Manager",
  "KMS",
] as const;
type Service = (typeof services)[number];
export type Bill = Readonly<Record<Service, number>>;

/**
 * Resources of a stage like `prod.json` that cost money even if nobody uses it; a test compares them with its
 * templates.
 */
export interface Fixed {
  readonly alarmMetrics: number;
  readonly dashboards: number;
  /** Custom metrics that get values every hour: those of the canary, of numbers of use and of deliveries. */
  readonly ownMetrics: number;
  readonly firewallRules: number;
  /** Whether tables are encrypted with a KMS key, for which DynamoDB asks KMS every five minutes. */
  readonly hasTableKey: boolean;
}

export const fixedParts: Fixed = {
  alarmMetrics: 133,
  dashboards: 1,
  ownMetrics: 18,
  firewallRules: 2,
  hasTableKey: false,
};

/** Tables that functions use, summed over all functions: pairs for which DynamoDB asks KMS every five minutes. */
const tableUses = 300;
const keySeconds = 300;
/** Long polls of Lambda on an idle queue: five of twenty seconds each. */
const pollsPerSecond = 5 / 20;
/** Runs of schedules in a month: two every minute, one every five minutes, two every fifteen. */
const scheduledRuns = hoursPerMonth * (2 * 60 + 12 + 2 * 4);
/** Requests of the canary's run, which is every five minutes. */
const canaryRequests = hoursPerMonth * 12 * 15;

const none = Object.fromEntries(services.map((service) => [service, 0])) as Bill;
const kilobytes64 = 64 * 1024;

/** Dollars a month, by service. */
export function billOf(load: Load, prices: Prices, fixed: Fixed = fixedParts): Bill {
  const parts = [
    fixedBill(prices, fixed),
    messages(load, prices),
    others(load, prices),
    files(load, prices),
    sockets(load, prices),
    stored(load, prices),
  ];
  if (fixed.hasTableKey) parts.push({ KMS: keyRequests(load) * prices.keyRequest });
  return sumOf(parts);
}

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, part) => sum + part, 0);

function sumOf(bills: readonly Partial<Bill>[]): Bill {
  const sum: Record<Service, number> = { ...none };
  for (const bill of bills)
    for (const [service, dollars] of Object.entries(bill) as [Service, number][]) sum[service] += dollars;
  return sum;
}

/** The monthly price of a stage that nobody uses. */
export function fixedBill(
  prices: Prices,
  { alarmMetrics, dashboards, ownMetrics, firewallRules }: Fixed,
): Partial<Bill> {
  const polled = Object.values(queues).filter((queue) => !("forwardedBy" in queue));
  const perPoll = (isFifo: boolean) => (isFifo ? prices.sqsFifoRequest : prices.sqsRequest);
  const polls = polled.reduce((sum, { isFifo }) => sum + perPoll(isFifo), 0) * pollsPerSecond;
  return sumOf([
    {
      SQS: polls * hoursPerMonth * 3600,
      "CloudWatch alarms and metrics":
        alarmMetrics * prices.alarmMetricMonth +
        ownMetrics * prices.metricMonth +
        dashboards * prices.dashboardMonth,
      "AWS WAF": prices.firewallMonth + firewallRules * prices.firewallRuleMonth,
      // The secret of the entrance is not in the registry.
      "Secrets Manager": (Object.keys(secrets).length + 1) * prices.secretMonth,
    },
    run(prices, scheduledRuns, 100),
    request(prices, canaryRequests, { milliseconds: 60, bytes: 2000 }),
    { "DynamoDB requests": scheduledRuns * 2 * prices.dynamodbReadUnit },
  ]);
}

/** Runs of functions, with the lines that Lambda itself writes. */
const run = (prices: Prices, count: number, milliseconds: number): Partial<Bill> => ({
  Lambda:
    count *
    (prices.lambdaRequest +
      (milliseconds / 1000) * assumptions.memoryGigabytes * prices.lambdaGigabyteSecond),
  "CloudWatch logs": logs(prices, count * assumptions.logBytes.invocation),
});

const logs = (prices: Prices, bytes: number) => {
  const { logCompression, logKeptMonths } = assumptions;
  return (bytes / 1e9) * (prices.logGigabyte + logCompression * logKeptMonths * prices.logGigabyteMonth);
};

/**
 * Requests that pass the distribution, its firewall and API Gateway, and run a function; `bytes` of an answer, and `sentBytes` of
 * the request.
 */
const request = (
  prices: Prices,
  count: number,
  {
    milliseconds,
    bytes,
    sentBytes = assumptions.sentBytes,
    parts = 1,
  }: { milliseconds: number; bytes: number; sentBytes?: number; parts?: number },
): Partial<Bill> =>
  sumOf([
    distributed(prices, count, { bytes, sentBytes }),
    {
      "API Gateway": count * parts * prices.httpApiRequest,
      "CloudWatch logs": logs(prices, count * (assumptions.logBytes.request + assumptions.logBytes.gateway)),
    },
    run(prices, count, milliseconds),
  ]);

/** Requests that pass the distribution and its firewall. */
const distributed = (
  prices: Prices,
  count: number,
  { bytes, sentBytes }: { readonly bytes: number; readonly sentBytes: number },
): Partial<Bill> => ({
  CloudFront:
    count *
    (prices.distributionRequest +
      prices.distributionFunctionRun +
      (bytes / 1e9) * prices.distributionGigabyte +
      (sentBytes / 1e9) * prices.distributionOriginGigabyte),
  "AWS WAF": count * prices.firewallRequest,
});

const units = (prices: Prices, count: number, readUnits: number, writeUnits: number): Partial<Bill> => ({
  "DynamoDB requests": count * (readUnits * prices.dynamodbReadUnit + writeUnits * prices.dynamodbWriteUnit),
});

/** FIFO messages: each call of SQS is charged for each 64 KB. */
const queued = (prices: Prices, count: number, bytes: number) =>
  count * requestsPerMessage * Math.max(1, Math.ceil(bytes / kilobytes64)) * prices.sqsFifoRequest;

function messages(load: Load, prices: Prices): Partial<Bill> {
  const { message, other } = assumptions;
  const { messages: count } = monthlyOf(load);
  const bytes = load.group * message.bytesPerMember;
  // One message for `fan-out`, and those for shards of recipients, which are sent and received in tens.
  const calls = 1 + Math.ceil((load.group - 1) / 10);
  return sumOf([
    request(prices, count, {
      milliseconds: message.milliseconds / 3,
      bytes: other.bytes,
      sentBytes: assumptions.sentBytes + bytes,
    }),
    run(prices, count * calls, message.milliseconds / 3),
    units(prices, count, load.group * message.readUnitsPerMember, load.group * message.writeUnitsPerMember),
    { SQS: queued(prices, count * calls, bytes) },
  ]);
}

function others(load: Load, prices: Prices): Partial<Bill> {
  const { other, mailsPerUserMonth } = assumptions;
  const { others: count } = monthlyOf(load);
  return sumOf([
    request(prices, count, other),
    units(prices, count, other.readUnits, other.writeUnits),
    { SES: load.users * mailsPerUserMonth * prices.sesEmail },
  ]);
}

/**
 * An upload passes API Gateway, for each 512 KB, or the balancer of relays, whose tasks have room for it; a download is a
 * redirect to the bucket.
 */
function files(load: Load, prices: Prices): Partial<Bill> {
  const { file, other } = assumptions;
  const { files: uploads, downloads } = monthlyOf(load);
  return sumOf([
    upload(load.sockets, prices, uploads, file.bytes),
    request(prices, downloads, { milliseconds: other.milliseconds, bytes: other.bytes }),
    units(prices, uploads, file.readUnits, file.writeUnits),
    units(prices, downloads, file.readUnits, 0),
    {
      S3:
        uploads * prices.filePut +
        downloads * prices.fileGet +
        ((uploads * file.bytes) / 1e9) * file.keptMonths * prices.fileGigabyteMonth,
      "data transfer": ((downloads * file.bytes) / 1e9) * prices.outgoingGigabyte,
    },
  ]);
}

/** Uploads of files of so many bytes, without what is stored. */
export function upload(
  holder: Load["sockets"],
  prices: Prices,
  count: number,
  fileBytes: number,
): Partial<Bill> {
  const { file, other, relay } = assumptions;
  const sentBytes = assumptions.sentBytes + fileBytes;
  const { bytes } = other;
  if (holder === "gateway") {
    const parts = Math.ceil(fileBytes / (512 * 1024));
    return request(prices, count, { milliseconds: file.milliseconds, bytes, sentBytes, parts });
  }
  const gigabytes = (count * sentBytes) / 1e9;
  const coreHours = (count * file.milliseconds) / 3_600_000;
  return sumOf([
    distributed(prices, count, { bytes, sentBytes }),
    {
      "Fargate and load balancer":
        (gigabytes / balancerUnit.gigabytesPerHour) * prices.networkBalancerUnitHour +
        coreHours * prices.fargateCoreHour,
      "data transfer": gigabytes * (1 - 1 / relay.zones) * 2 * prices.zoneGigabyte,
      "CloudWatch logs": logs(prices, count * assumptions.logBytes.request),
    },
  ]);
}

function sockets(load: Load, prices: Prices): Partial<Bill> {
  const { socket } = assumptions;
  const { handshakes, pings, frames } = monthlyOf(load);
  const checks = handshakes * socket.checks[load.sockets];
  const bytes = pings * socket.pongBytes + frames * socket.frameBytes + handshakes * socket.handshakeBytes;
  return sumOf([
    units(prices, handshakes, socket.readUnits, socket.writeUnits),
    units(prices, checks, socket.checkReadUnits, 0),
    run(prices, checks, socket.checkMilliseconds),
    {
      SQS: checks * requestsPerMessage * prices.sqsRequest,
      CloudFront:
        handshakes * (prices.distributionRequest + prices.distributionFunctionRun) +
        (bytes / 1e9) * prices.distributionGigabyte,
      "AWS WAF": handshakes * prices.firewallRequest,
    },
    load.sockets === "relay" ? relays(load, prices, bytes) : gateway(load, prices),
  ]);
}

function gateway(load: Load, prices: Prices): Partial<Bill> {
  const { socket, frameLog } = assumptions;
  const { handshakes, pings, frames, openSeconds } = monthlyOf(load);
  return sumOf([
    run(prices, handshakes, socket.openMilliseconds),
    run(prices, handshakes, socket.closeMilliseconds),
    run(prices, pings / frameLog.linesPerRun, frameLog.milliseconds),
    {
      "API Gateway":
        (openSeconds / 60) * prices.webSocketConnectionMinute +
        (2 * pings + frames) * prices.webSocketMessage,
      "CloudWatch logs": logs(prices, pings * frameLog.bytes),
    },
  ]);
}

/** A ping at API Gateway, its pong and its line in the log. */
export const pingDollars = (prices: Prices): number => {
  const { frameLog } = assumptions;
  const reading = totalOf(sumOf([run(prices, 1 / frameLog.linesPerRun, frameLog.milliseconds)]));
  return 2 * prices.webSocketMessage + logs(prices, frameLog.bytes) + reading;
};

/** Tasks follow the sockets: while nobody is connected, the minimum runs. */
function relays(load: Load, prices: Prices, bytes: number): Partial<Bill> {
  const { relay, daysPerMonth } = assumptions;
  const { frames } = monthlyOf(load);
  const share = load.hours / 24;
  const taskHours = hoursPerMonth * (share * tasksFor(load.users) + (1 - share) * relay.minTasks);
  const perTaskHour =
    relay.cores * prices.fargateCoreHour +
    relay.gigabytes * prices.fargateGigabyteHour +
    prices.publicAddressHour;
  const openHours = load.hours * daysPerMonth;
  const connectionsPerSecond = load.users / (60 * assumptions.socketMinutes);
  const capacityUnits = Math.max(
    load.users / balancerUnit.open,
    connectionsPerSecond / balancerUnit.newPerSecond,
    bytes / 1e9 / Math.max(1, openHours) / balancerUnit.gigabytesPerHour,
  );
  const balancer =
    hoursPerMonth * (prices.networkBalancerHour + relay.zones * prices.publicAddressHour) +
    openHours * capacityUnits * prices.networkBalancerUnitHour;
  return {
    "Fargate and load balancer": taskHours * perTaskHour + balancer,
    "data transfer": (bytes / 1e9) * (1 - 1 / relay.zones) * 2 * prices.zoneGigabyte,
    SQS: frames * requestsPerMessage * prices.sqsFifoRequest,
  };
}

/** Storage of notifications and of all other user data, with point-in-time recovery. */
function stored(load: Load, prices: Prices): Partial<Bill> {
  const { message, daysPerMonth, storedBytesPerUser } = assumptions;
  const { frames } = monthlyOf(load);
  const bytes =
    (frames / daysPerMonth) * message.keptDays * message.keptBytes + load.users * storedBytesPerUser;
  return {
    "DynamoDB storage": (bytes / 1e9) * (prices.dynamodbGigabyteMonth + prices.dynamodbRecoveryGigabyteMonth),
  };
}

/** Copies of lasting data in a second region, as a stage file asks for them. */
export interface Copies {
  /** How long copies of tables are kept. */
  readonly days: number;
  readonly everyHours: number;
}

/** Days for which AWS Backup keeps a backup in its own region. */
const copiedDays = 1;
/** Alarms on failed backups, and on failed copies. */
const copyAlarms = 2;

/**
 * Dollars a month for copies of tables (without notifications, which are not restored), of files, and of secrets, whose
 * copies cost as much as the originals.
 */
export function copiesOf(load: Load, prices: Prices, { days, everyHours }: Copies): number {
  const { daysPerMonth, file, storedBytesPerUser } = assumptions;
  const { files: uploads } = monthlyOf(load);
  const tables = (load.users * storedBytesPerUser) / 1e9;
  const perDay = 24 / everyHours;
  const uploaded = (uploads * file.bytes) / 1e9;
  return (
    tables * perDay * (days + copiedDays) * prices.dynamodbBackupGigabyteMonth +
    tables * perDay * daysPerMonth * prices.outgoingRegionGigabyte +
    uploaded *
      (file.keptMonths * prices.fileGigabyteMonth +
        prices.fileReplicatedGigabyte +
        prices.outgoingRegionGigabyte) +
    uploads * prices.filePut +
    Object.keys(secrets).length * prices.secretMonth +
    copyAlarms * prices.alarmMetricMonth
  );
}

/** Each function that runs all the time asks for the key of each of its tables every five minutes. */
function keyRequests({ users }: Load): number {
  const busyShare = Math.min(1, 0.05 + users / 1000);
  return (tableUses * busyShare * hoursPerMonth * 3600) / keySeconds;
}

/** The price of an hour of requests at the limit of a stage, each as expensive as an average request. */
export function attackHour(requestsPerSecond: number, prices: Prices): number {
  const { other } = assumptions;
  const count = requestsPerSecond * 3600;
  return totalOf(
    sumOf([request(prices, count, other), units(prices, count, other.readUnits, other.writeUnits)]),
  );
}
