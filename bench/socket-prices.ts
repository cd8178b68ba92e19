import { balancerUnit, logBytesPerInvocation, prices, requestsPerMessage } from "#lib/prices.ts";
import { defaultDrainSeconds, maxSockets, writeUnitsPerSocket } from "#lib/relay/limits.ts";
import { type Row, round } from "./table.ts";

/**
 * What holds the sockets: API Gateway as it was first, when sockets ended with their access token and a function
 * answered each ping; API Gateway; or relays.
 */
type SocketHolder = "API Gateway, at first" | "API Gateway" | "relays";

/** Users with one device each, whose socket is open for so many hours of a day, all at the same time. */
interface Population {
  readonly users: number;
  readonly hoursPerDay: number;
}

/** What users do and what it takes, as assumed or measured. */
const assumptions = {
  daysPerMonth: 30,
  pingSeconds: 20,
  /** Average life of a socket: it ends after a random time of 90 to 120 minutes; at first, with its access token. */
  socketMinutes: 105,
  tokenMinutes: 15,
  /** Each user sends so many messages, and gets as many. */
  messagesPerDay: 100,
  /** From request to log, without the frame to the socket: `npm run bench -- --only messages`, with two members. */
  dollarsPerMillionMessages: 7.9,
  /** Counted on emulators: opening and closing a socket without a device. */
  handshake: { readUnits: 4, writeUnits: writeUnitsPerSocket },
  /**
   * Whether a socket's session goes on is checked when its access token expires. A socket of API Gateway is also closed
   * by a check, which SQS delays by at most a quarter of an hour, so that it is requested again and again.
   */
  checks: { "API Gateway, at first": 1, "API Gateway": 7, relays: 1 },
  check: { readUnits: 2, queuedMessages: 1 },
  /** Run time of the functions, each at 1024 MB: two for a socket, and one for each check. */
  functionMilliseconds: { open: 25, close: 12, check: 12, ping: 2 },
  /** A line of the WebSocket API's access log, with the 26 bytes that each is charged; a function reads so many in one go. */
  frameLog: { bytes: 176, linesPerRun: 50, runMilliseconds: 10 },
  relay: {
    socketsPerTask: maxSockets / 2,
    minTasks: 2,
    cores: 1,
    gigabytes: 4,
    zones: 2,
    drainSeconds: defaultDrainSeconds,
  },
  /** On the wire: with the headers of TCP, IP and TLS. */
  bytes: { pingAndPong: 300, pong: 90, message: 1100, handshake: 8000, handshakeOut: 5000 },
} as const;

/** Load at the time of the day when everybody is connected, and dollars per month. */
interface SocketPlan extends Population {
  readonly holder: SocketHolder;
  readonly connectionsPerSecond: number;
  /** Frames in both directions. */
  readonly framesPerSecond: number;
  readonly postsPerSecond: number;
  /** Calls of SQS between functions and relays. */
  readonly queueCallsPerSecond: number;
  readonly tasks: number;
  readonly dollars: Readonly<Record<(typeof costItems)[number], number>>;
  readonly totalDollars: number;
}

const costItems = [
  "open sockets",
  "pings",
  "handshakes",
  "posts",
  "tasks",
  "load balancer",
  "transfer",
  "messages",
] as const;

const hoursPerMonth = 24 * assumptions.daysPerMonth;

/** Work out what a population takes of a holder of sockets. */
function planSockets(population: Population, holder: SocketHolder): SocketPlan {
  const { users, hoursPerDay } = population;
  const { daysPerMonth, pingSeconds, messagesPerDay, bytes } = assumptions;
  const isRelay = holder === "relays";
  const isFirst = holder === "API Gateway, at first";
  const socketSeconds = 60 * (isFirst ? assumptions.tokenMinutes : assumptions.socketMinutes);
  const openSeconds = users * hoursPerDay * 3600 * daysPerMonth;
  const pings = openSeconds / pingSeconds;
  const handshakes = openSeconds / socketSeconds;
  const deliveries = users * messagesPerDay * daysPerMonth;
  const postsPerSecond = (users * messagesPerDay) / (hoursPerDay * 3600);
  const connectionsPerSecond = users / socketSeconds;
  const tasks = isRelay ? tasksFor(users) : 0;
  const outgoingBytes = pings * bytes.pong + deliveries * bytes.message + handshakes * bytes.handshakeOut;

  const dollars = {
    "open sockets": isRelay ? 0 : (openSeconds / 60) * prices.webSocketConnectionMinute,
    pings: isRelay ? 0 : pings * pingDollars(isFirst),
    handshakes: handshakes * handshakeDollars(holder),
    posts: deliveries * (isRelay ? requestsPerMessage * prices.sqsFifoRequest : prices.webSocketMessage),
    tasks: isRelay ? taskDollars(tasks, hoursPerDay) : 0,
    "load balancer": isRelay
      ? balancerDollars({ ...population, connectionsPerSecond, pings, deliveries, handshakes })
      : 0,
    transfer: (outgoingBytes / 1e9) * prices.outgoingGigabyte,
    messages: (deliveries * assumptions.dollarsPerMillionMessages) / 1e6,
  };
  return {
    ...population,
    holder,
    connectionsPerSecond,
    framesPerSecond: (2 * users) / pingSeconds + postsPerSecond,
    postsPerSecond,
    queueCallsPerSecond: isRelay ? requestsPerMessage * postsPerSecond : 0,
    tasks,
    dollars,
    totalDollars: Object.values(dollars).reduce((sum, part) => sum + part, 0),
  };
}

const tasksFor = (users: number) =>
  Math.max(assumptions.relay.minTasks, Math.ceil(users / assumptions.relay.socketsPerTask));

const logDollars = (bytes: number) => (bytes / 1e9) * prices.logGigabyte;

const functionDollars = (milliseconds: number) =>
  prices.lambdaRequest +
  (milliseconds / 1000) * prices.lambdaGigabyteSecond +
  logDollars(logBytesPerInvocation);

/** A ping and its pong; at first, each called a function. */
/** A ping of API Gateway, its pong and its line in the log. */
export function pingDollars(isFirst = false): number {
  const { functionMilliseconds, frameLog } = assumptions;
  const frames = 2 * prices.webSocketMessage;
  if (isFirst) return frames + functionDollars(functionMilliseconds.ping);
  return (
    frames + logDollars(frameLog.bytes) + functionDollars(frameLog.runMilliseconds) / frameLog.linesPerRun
  );
}

/** A socket from its handshake to its end. A relay runs the code of two of the three functions itself. */
function handshakeDollars(holder: SocketHolder): number {
  const { handshake, check, functionMilliseconds } = assumptions;
  const perCheck =
    prices.dynamodbReadUnit * check.readUnits +
    prices.sqsRequest * requestsPerMessage * check.queuedMessages +
    functionDollars(functionMilliseconds.check);
  return (
    prices.dynamodbReadUnit * handshake.readUnits +
    prices.dynamodbWriteUnit * handshake.writeUnits +
    perCheck * assumptions.checks[holder] +
    (holder === "relays"
      ? 0
      : functionDollars(functionMilliseconds.open) + functionDollars(functionMilliseconds.close))
  );
}

/** Tasks follow the sockets: while nobody is connected, the fewest run. */
function taskDollars(tasks: number, hoursPerDay: number): number {
  const { cores, gigabytes, minTasks } = assumptions.relay;
  const share = hoursPerDay / 24;
  const taskHours = hoursPerMonth * (share * tasks + (1 - share) * minTasks);
  const dollarsPerHour =
    cores * prices.fargateCoreHour + gigabytes * prices.fargateGigabyteHour + prices.publicAddressHour;
  return taskHours * dollarsPerHour;
}

function balancerDollars({
  users,
  hoursPerDay,
  connectionsPerSecond,
  pings,
  deliveries,
  handshakes,
}: Population &
  Readonly<Record<"connectionsPerSecond" | "pings" | "deliveries" | "handshakes", number>>): number {
  const { bytes, daysPerMonth, relay } = assumptions;
  const openHours = hoursPerDay * daysPerMonth;
  const gigabytes =
    (pings * bytes.pingAndPong + deliveries * bytes.message + handshakes * bytes.handshake) / 1e9;
  const units = Math.max(
    users / balancerUnit.open,
    connectionsPerSecond / balancerUnit.newPerSecond,
    gigabytes / openHours / balancerUnit.gigabytesPerHour,
  );
  const toOtherZones = gigabytes * (1 - 1 / relay.zones);
  return (
    hoursPerMonth * (prices.networkBalancerHour + relay.zones * prices.publicAddressHour) +
    openHours * units * prices.networkBalancerUnitHour +
    toOtherZones * 2 * prices.zoneGigabyte
  );
}

/** Quotas of an account and region that sockets use, with the defaults that AWS documents. */
const quotas: readonly {
  readonly holder: SocketHolder;
  readonly name: string;
  readonly default: number;
  readonly used: (plan: SocketPlan) => number;
}[] = [
  {
    holder: "API Gateway",
    name: "New connections per second per account",
    default: 500,
    used: ({ connectionsPerSecond }) => connectionsPerSecond,
  },
  {
    holder: "API Gateway",
    name: "Throttle rate: requests per second of all APIs",
    default: 10_000,
    used: ({ users, connectionsPerSecond }) => users / assumptions.pingSeconds + 2 * connectionsPerSecond,
  },
  {
    holder: "relays",
    name: "Fargate On-Demand vCPU resource count, while a deployment replaces all tasks",
    default: 6,
    used: ({ tasks }) => 2 * tasks * assumptions.relay.cores,
  },
  {
    holder: "relays",
    name: "Targets per Network Load Balancer with cross-zone balancing, meanwhile",
    default: 500,
    used: ({ tasks }) => 2 * tasks,
  },
  {
    holder: "relays",
    name: "Calls per second of each kind to one FIFO queue with high throughput, in small regions",
    default: 2400,
    used: ({ postsPerSecond, tasks }) => postsPerSecond / tasks,
  },
  {
    holder: "relays",
    name: "Table-level write throughput (units per second) of sockets",
    default: 40_000,
    used: ({ connectionsPerSecond }) => connectionsPerSecond * assumptions.handshake.writeUnits,
  },
  {
    holder: "relays",
    name: "The same while a deployment replaces all tasks together",
    default: 40_000,
    used: ({ users }) => (users / assumptions.relay.drainSeconds) * assumptions.handshake.writeUnits,
  },
];

const userCounts = [1000, 50_000, 5_000_000] as const;
const holders = ["API Gateway", "relays"] as const;
const compared = { users: 50_000, hoursPerDay: 24 } as const;

/** Tables of load, prices and quotas for three sizes of an installation. */
export function socketPriceTables(): { title: string; rows: Row[]; note: string }[] {
  return [loadTable(), itemTable(), quotaTable()];
}

function loadTable() {
  const rows = userCounts.flatMap((users) =>
    [24, 10].flatMap((hoursPerDay) =>
      holders.map((holder) => {
        const plan = planSockets({ users, hoursPerDay }, holder);
        return {
          users: String(users),
          "hours a day": hoursPerDay,
          "held by": holder,
          "connections/s": round(plan.connectionsPerSecond),
          "frames/s": round(plan.framesPerSecond, 0),
          "posts/s": round(plan.postsPerSecond, 0),
          "queue calls/s": round(plan.queueCallsPerSecond, 0),
          tasks: plan.tasks,
          "$ a month": round(plan.totalDollars, 0),
          "without messages": round(plan.totalDollars - plan.dollars.messages, 0),
        };
      }),
    ),
  );
  const { messagesPerDay, pingSeconds, socketMinutes, dollarsPerMillionMessages } = assumptions;
  const cheaper = [24, 10].map((hours) => `${breakEven(hours)} users who are connected ${hours} hours a day`);
  return {
    title: "Sockets: load and price",
    rows,
    note:
      `Everybody is connected at the same time, pings every ${pingSeconds} s, reconnects after ${socketMinutes} minutes, sends ${messagesPerDay}\n` +
      `messages a day and gets as many; a message costs $ ${dollarsPerMillionMessages} per million without its frame (bench/socket-prices.ts).\n` +
      `Relays cost less from about ${cheaper.join(", or ")}.`,
  };
}

/** Number of users from which relays cost less than API Gateway. */
function breakEven(hoursPerDay: number): number {
  const step = 10;
  for (let users = step; ; users += step) {
    const [gateway, relays] = holders.map(
      (holder) => planSockets({ users, hoursPerDay }, holder).totalDollars,
    );
    if (Number(relays) < Number(gateway)) return users;
  }
}

function itemTable() {
  const plans = (["API Gateway, at first", ...holders] as const).map((holder) =>
    planSockets(compared, holder),
  );
  const rows = plans.map(({ holder, dollars, totalDollars }) => ({
    "held by": holder,
    ...Object.fromEntries(costItems.map((item) => [item, round(dollars[item], 0)])),
    together: round(totalDollars, 0),
  }));
  return {
    title: `Dollars a month for ${compared.users} users who are always connected`,
    rows,
    note:
      "Pings: with functions, logs and pongs. Tasks: with their public addresses. At first: sockets ended with their\n" +
      "access token, and each ping called a function. First tiers of list prices.",
  };
}

function quotaTable() {
  const rows = quotas.map(({ holder, name, default: most, used }) => ({
    "held by": holder,
    quota: name,
    default: most,
    ...Object.fromEntries(
      userCounts.map((users) => [
        `${users} users`,
        round(used(planSockets({ users, hoursPerDay: 24 }, holder)), 0),
      ]),
    ),
  }));
  return {
    title: "Sockets and the quotas of AWS",
    rows,
    note: "Always connected. Most quotas can be raised; new accounts may have lower ones.",
  };
}
