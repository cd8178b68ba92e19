// Measures operations, functions and commands, and prints tables or compares figures with their budgets; see --help.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import {
  billedMilliseconds,
  type Costs,
  costPerMillionDeliveries,
  costsPerMillion,
  monthlyCostOfSockets,
  prices,
} from "#lib/prices.ts";
import { pingDollars } from "#lib/pricing/month.ts";
import { readStage } from "#lib/stage.ts";
import { activeUser, monthlyPrice } from "./active-user.ts";
import { checkBudgets, updateBudgets } from "./check-budgets.ts";
import { type CallCounts, countCalls } from "./count-calls.ts";
import { withForkedEmulators } from "./forked-emulators.ts";
import { type AssetFigures, measureAssets } from "./measure-assets.ts";
import { type BodyFigures, measureBodies, mostMilliseconds } from "./measure-bodies.ts";
import { type BotCallFigures, type BotThroughputFigures, measureBots } from "./measure-bots.ts";
import { timeStart, timeSynth } from "./measure-commands.ts";
import {
  type BusyRecipientFigures,
  type DeviceFigures,
  type EventFigures,
  measureBusyRecipient,
  measureDevices,
  measureEvents,
  targetMilliseconds,
} from "./measure-events.ts";
import { type FirstRequestFigures, measureFirstRequests } from "./measure-first-requests.ts";
import { type FunctionFigures, measureFunctions } from "./measure-functions.ts";
import { concurrency, type LoadFigures, measureLoad } from "./measure-load.ts";
import { measureMessagePath, type PathFigures } from "./measure-message-path.ts";
import type { MessageFigures } from "./measure-messages.ts";
import { type CommitFigures, measureMls, type ProtocolFigures, type RaceFigures } from "./measure-mls.ts";
import { measureProvisioning, type ProvisioningFigures, usualConcurrencies } from "./measure-provisioning.ts";
import { indexedUsers, measureSearch, type SearchFigures } from "./measure-search.ts";
import { measureShortcuts, type ShortcutFigures } from "./measure-shortcuts.ts";
import { measureSockets, type SocketFigures } from "./measure-sockets.ts";
import { measureTeams } from "./measure-teams.ts";
import { operations } from "./operations.ts";
import { formatTable, type Row, round } from "./table.ts";
import { withEmulators } from "./with-emulators.ts";
import { withoutRecords } from "./without-records.ts";

const usage = `Measure operations, functions and commands on this machine: npm run bench -- [options]

  --only PART   operations, events, messages, mls, bots, sockets, search, teams, provisioning,
                assets, functions, shortcuts, bodies or commands (all)
  --operation X with --only bodies: only the operations whose names contain this
  --sockets N   sockets that a relay holds open (5000); as many as a process may have files
  --users N     users that the directory of a team creates, in five parts (500)
  --at-a-time N requests that the directory sends concurrently (1, then 8)
  --synth       also time cdk synth
  --against DIR with --only messages: measure the stack of another checkout, too, in turns with this one
  --json FILE   also write all figures to a file
  --check       only compare calls, sizes of bundles and starts with their budgets in bench/budgets.json; fails if one
                is exceeded
  --update      with --check: write what is measured as the budgets, instead of comparing
  --help        show this text
`;

const parts = [
  "operations",
  "events",
  "messages",
  "mls",
  "bots",
  "sockets",
  "search",
  "teams",
  "provisioning",
  "assets",
  "functions",
  "shortcuts",
  "bodies",
  "commands",
];
/** Memory in production: the price of run time depends on it. */
const { memoryMegabytes } = readStage("prod");

interface OperationFigures extends CallCounts, LoadFigures {
  readonly name: string;
  readonly floor: (typeof operations)[number]["floor"];
  readonly dollarsPerMillion: number;
  readonly emailDollarsPerMillion: number;
  /** Figures without records of the audit trail; undefined for operations that write nothing. */
  readonly unrecorded: { readonly writeUnits: number; readonly dollarsPerMillion: number } | undefined;
}

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    users: { type: "string", default: "500" },
    "at-a-time": { type: "string" },
    operation: { type: "string" },
    sockets: { type: "string", default: "5000" },
    synth: { type: "boolean", default: false },
    json: { type: "string" },
    against: { type: "string" },
    check: { type: "boolean", default: false },
    update: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(usage);
else if (values.only !== undefined && !parts.includes(values.only)) {
  console.error(`--only takes one of ${parts.join(", ")}`);
  process.exitCode = 1;
} else if (values.update && !values.check) {
  console.error("--update goes with --check");
  process.exitCode = 1;
} else if (values.update) await updateBudgets();
else if (!values.check) await run();
else if (!(await checkBudgets())) process.exitCode = 1;

async function run(): Promise<void> {
  const startedAt = performance.now();
  const isWanted = (part: string) => values.only === undefined || values.only === part;
  const [cpu] = cpus();
  const machine = `${cpus().length} x ${cpu?.model.trim()}, Node ${process.versions.node}`;
  console.log(`Measured on ${machine}`);
  const figures: Record<string, unknown> = { machine, measuredAt: new Date().toISOString() };

  if (isWanted("functions")) {
    const functions = await measureFunctions();
    figures.functions = functions;
    printFunctions(functions);
    const firstRequests = await withForkedEmulators(measureFirstRequests);
    figures.firstRequests = firstRequests;
    printFirstRequests(firstRequests);
  }
  if (isWanted("shortcuts")) {
    const shortcuts = await withEmulators(measureShortcuts);
    figures.shortcuts = shortcuts;
    printShortcuts(shortcuts);
  }
  if (isWanted("commands")) {
    const startSeconds = await timeStart();
    const synthSeconds = values.synth ? await timeSynth() : undefined;
    figures.commands = { startSeconds, synthSeconds };
    printCommands(startSeconds, synthSeconds);
  }
  if (isWanted("operations")) {
    const measured = await withEmulators(measureOperations);
    figures.operations = measured;
    printOperations(measured);
    printRecords(measured);
  }
  if (isWanted("events")) {
    const events = await withEmulators(measureEvents);
    figures.events = events;
    printEvents(events);
    const busyRecipient = await withEmulators(measureBusyRecipient);
    figures.busyRecipient = busyRecipient;
    printBusyRecipient(busyRecipient);
    const devices = await withEmulators(measureDevices);
    figures.devices = devices;
    printDevices(devices);
  }
  if (isWanted("messages")) {
    const messages = await withForkedEmulators((emulators) => measureMessagePath(emulators, values.against));
    figures.messages = messages;
    printMessagePath(messages);
    if (isWanted("operations") && isWanted("events"))
      printActiveUser({ ...figures, ...messages } as unknown as PriceFigures);
  }
  if (isWanted("mls")) {
    const mls = await withEmulators(measureMls);
    figures.mls = mls;
    printMls(mls);
  }
  if (isWanted("bots")) {
    const bots = await withEmulators(measureBots);
    figures.bots = bots;
    printBots(bots);
  }
  if (isWanted("sockets")) {
    const sockets = await withEmulators((emulators) => measureSockets(emulators, Number(values.sockets)));
    figures.sockets = sockets;
    printSockets(sockets);
  }
  if (isWanted("search")) {
    const search = await withEmulators(measureSearch);
    figures.search = search;
    printSearch(search);
  }
  if (isWanted("teams")) {
    const teams = await withEmulators(measureTeams);
    figures.teams = teams;
    printTeams(teams);
  }
  if (isWanted("provisioning")) {
    const atATime = values["at-a-time"];
    const concurrencies = atATime === undefined ? usualConcurrencies : [Number(atATime)];
    const provisioning = await withEmulators((emulators) =>
      measureProvisioning(emulators, Number(values.users), concurrencies),
    );
    figures.provisioning = provisioning;
    printProvisioning(provisioning);
  }
  if (isWanted("assets")) {
    const assets = await withEmulators(measureAssets);
    figures.assets = assets;
    printAssets(assets);
  }
  if (isWanted("bodies")) {
    const measured = await withForkedEmulators((emulators) => measureBodies(emulators, values.operation));
    figures.bodies = measured.figures;
    printBodies(measured);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  console.log(`\nTook ${round((performance.now() - startedAt) / 1000, 0)} s`);
}

async function measureOperations(emulators: Emulators): Promise<OperationFigures[]> {
  const load = await measureLoad(emulators);
  const counts = await countCalls(emulators);
  const isChange = ({ name }: { readonly name: string }) => (counts.get(name)?.writeUnits ?? 0) > 0;
  const unrecorded = await withoutRecords(() =>
    countCalls(emulators, { prefix: "unrecorded", isWanted: isChange }),
  );
  return operations.map(({ name, floor }) => {
    const count = counts.get(name) as CallCounts;
    const times = load.get(name) as LoadFigures;
    const costs = costsOf(count, times);
    const without = unrecorded.get(name);
    return {
      name,
      floor,
      ...count,
      ...times,
      dollarsPerMillion: costs.requests,
      emailDollarsPerMillion: costs.emails,
      unrecorded: without && {
        writeUnits: without.writeUnits,
        dollarsPerMillion: costsOf(without, times).requests,
      },
    };
  });
}

function costsOf(count: CallCounts, { requestsPerCoreSecond }: LoadFigures): Costs {
  return costsPerMillion({
    billedMilliseconds: billedMilliseconds({
      cpuMilliseconds: 1000 / requestsPerCoreSecond,
      callsInSeries: count.dynamodbCallsInSeries + count.otherCalls,
      memoryMegabytes,
    }),
    memoryMegabytes,
    readUnits: count.readUnits + count.later.readUnits,
    writeUnits: count.writeUnits + count.later.writeUnits,
    queuedMessages: count.queuedMessages,
    emails: count.later.emails,
  });
}

function printOperations(measured: readonly OperationFigures[]): void {
  print(
    "AWS calls of one request",
    measured.map((operation) => ({
      operation: operation.name,
      "DynamoDB calls": operation.dynamodbCalls,
      "in series": operation.dynamodbCallsInSeries,
      floor: operation.floor?.dynamodbCallsInSeries,
      "other calls": operation.otherCalls,
      "other floor": operation.floor?.otherCalls,
      "read units": operation.readUnits,
      "write units": operation.writeUnits,
      "later read": operation.later.readUnits,
      "later written": operation.later.writeUnits,
      emails: operation.later.emails,
    })),
    "In series: calls before the response, one after another, when every answer of DynamoDB is delayed; one that is made\n" +
      "while a password is hashed counts as well. Other calls: to other services, before the response. Later: units that\n" +
      "the queue's worker consumes. A dash: no goal. Keys are in memory, as for all but the first request of a container.",
  );
  print(
    "Time and cost of one request",
    measured.map((operation) => ({
      operation: operation.name,
      "p50 ms": round(operation.p50Milliseconds, 2),
      "p99 ms": round(operation.p99Milliseconds, 2),
      "in function ms": round(operation.handlerMilliseconds, 2),
      [`req/s at ${concurrency}`]: round(operation.requestsPerSecond, 0),
      "req/s per core": round(operation.requestsPerCoreSecond, 0),
      "$ per million": round(operation.dollarsPerMillion, 2),
      "$ emails": round(operation.emailDollarsPerMillion, 2),
    })),
    "Latency of one request at a time, against emulators on the same machine; without rate limits, since all requests come\n" +
      `from one address. At ${concurrency} at a time, each has a user and instances of the functions of its own, as on Lambda.\n` +
      "Only a few requests are sent where a password is hashed.\n" +
      "Per core: by CPU time of the process with gateway, functions and workers.\n" +
      `List prices of us-east-1 with logs: CPU time at the share of a core that ${memoryMegabytes} MB have on Lambda, and 4 ms\n` +
      "for each call in series (lib/prices.ts).",
  );
}

function printRecords(measured: readonly OperationFigures[]): void {
  print(
    "What the record of the audit trail costs",
    measured.flatMap(({ name, writeUnits, dollarsPerMillion, emailDollarsPerMillion, unrecorded }) => {
      if (unrecorded === undefined || unrecorded.writeUnits === writeUnits) return [];
      const dollars = dollarsPerMillion - unrecorded.dollarsPerMillion;
      return {
        operation: name,
        "write units": writeUnits,
        "without record": unrecorded.writeUnits,
        "$ per million": round(dollarsPerMillion, 2),
        "of it for the record": round(dollars, 2),
        "% of the rest": round((dollars / (unrecorded.dollarsPerMillion + emailDollarsPerMillion)) * 100, 0),
      };
    }),
    "Counted with and without records; at the same CPU time, of which a record takes too little to be told apart. The\n" +
      "rest includes emails. Files of chains, paid by chain and hour, are not included.",
  );
}

function printBusyRecipient(busy: BusyRecipientFigures): void {
  print(
    "Many senders to one recipient",
    [
      {
        senders: busy.senders,
        events: busy.events,
        "events/s": round(busy.eventsPerSecond, 0),
        lost: busy.lost,
        "senders out of order": busy.outOfOrder,
        "log write units/event": round(busy.logWriteUnits, 2),
        "write units/event": round(busy.writeUnits, 2),
      },
    ],
    "Each sender publishes one event after another. Write units: of the recipient's log, and of everything, including\n" +
      "the outbox.",
  );
}

function printDevices(measured: readonly DeviceFigures[]): void {
  print(
    "One event to one recipient",
    measured.map(({ recipient, calls, readUnits, writeUnits }) => ({
      recipient,
      calls: round(calls, 1),
      "read units": round(readUnits, 1),
      "write units": round(writeUnits, 1),
    })),
    "Including the outbox, without the posts to sockets. An acknowledgement is handled by a function of its own.",
  );
}

function printEvents(measured: readonly EventFigures[]): void {
  print(
    "Events",
    measured.map((event) => {
      const costs = costPerMillionDeliveries({
        ...event,
        memoryMegabytes,
        functionMilliseconds: event.p99Milliseconds,
      });
      return {
        recipients: event.recipients,
        "p50 ms": round(event.p50Milliseconds),
        "p99 ms": round(event.p99Milliseconds),
        "target p50": event.recipients === 1 ? targetMilliseconds : undefined,
        "events/s": round(event.eventsPerSecond, 1),
        "deliveries/s": round(event.deliveriesPerSecond, 0),
        "read units": round(event.readUnits, 1),
        "write units": round(event.writeUnits, 1),
        calls: event.calls,
        "$ per million": round(costs.stored, 2),
        "$ posted": round(costs.posted, 2),
      };
    }),
    "From commit to socket, one event at a time, against emulators on the same machine. Units: per event, including\n" +
      "the outbox. $ per million deliveries, by list prices (lib/prices.ts): for storage, and for the frame to a socket.\n" +
      `A thousand sockets, always open: $ ${round(monthlyCostOfSockets(1000), 2)} a month.`,
  );
}

function printSockets(relay: SocketFigures): void {
  print(
    "Sockets of one relay",
    [
      {
        sockets: relay.sockets,
        "opened/s": round(relay.handshakesPerSecond, 0),
        "CPU idle": `${round(relay.idleCpuShare * 100, 1)} %`,
        "pongs/s": round(relay.pongsPerSecond, 0),
        MB: round(relay.memoryMegabytes, 0),
        "KB each": round(relay.kilobytesPerSocket, 1),
        "frames/s": round(relay.framesPerSecond, 0),
        lost: relay.framesLost,
        "CPU then": `${round(relay.frameCpuShare * 100, 0)} %`,
        "p50 ms": round(relay.frameP50Milliseconds, 0),
        "p99 ms": round(relay.frameP99Milliseconds, 0),
        "reconnected/s": round(relay.reconnectsPerSecond, 0),
        errors: relay.errors,
      },
    ],
    "Idle: every client pings every 20 seconds. CPU: share of one core, of the relay's process alone; clients, emulators\n" +
      "and functions share the machine. Frames go to random sockets through the relay's queue, of 400 characters each.\n" +
      `From commit to socket, one event at a time: ${round(relay.relayP50Milliseconds)} ms by a relay, ` +
      `${round(relay.gatewayP50Milliseconds)} ms by the emulation of API Gateway.`,
  );
}

function printBots({
  calls,
  throughput,
}: {
  readonly calls: readonly BotCallFigures[];
  readonly throughput: readonly BotThroughputFigures[];
}): void {
  const functions = [...new Set(calls.flatMap(({ byFunction }) => Object.keys(byFunction)))];
  print(
    "Calls of AWS for a message to a group",
    calls.map(({ members, byFunction }) => ({
      members,
      ...Object.fromEntries(functions.map((name) => [name, byFunction[name] ?? 0])),
    })),
    "By the function that makes them.",
  );
  print(
    "Deliveries to 200 bots of a service that answers in 50 ms",
    throughput.map(({ otherServices, deliveriesPerSecond, cpuMilliseconds }) => ({
      "100 other services": otherServices,
      "deliveries/s": round(deliveriesPerSecond, 0),
      "CPU ms each": round(cpuMilliseconds, 2),
    })),
    "From the queue of bots on. Each call is a connection of its own, with a TLS handshake.",
  );
}

function printMessagePath({ path, capacity, floods }: Awaited<ReturnType<typeof measureMessagePath>>): void {
  print(
    "A message to a conversation, from the request to the last socket",
    path.map((message) => {
      const dollars = dollarsPerMillion(message);
      return {
        version: message.version,
        members: message.members,
        devices: message.devices,
        "in series": message.callsInSeries,
        "SDK calls": message.sdkCalls,
        posts: message.members - 1,
        "read units": round(message.readUnits, 1),
        "write units": round(message.writeUnits, 1),
        "answer ms": round(message.answerMilliseconds, 1),
        "to socket p50 ms": round(message.p50Milliseconds, 0),
        "p99 ms": round(message.p99Milliseconds, 0),
        "CPU ms": round(message.cpuMilliseconds, 1),
        "store's CPU ms": round(message.storeCpuMilliseconds, 1),
        "$ per million": round(dollars, 2),
        "with posts": round(dollars + dollarsOfPosts(message), 2),
      };
    }),
    "One message at a time, to all devices; the last 50 members have a socket each. In series: DynamoDB calls that the\n" +
      "answer waits for. SDK calls: of function and workers, without posts, of which each socket takes one. To socket: from\n" +
      "the message's time, which is before its commit. CPU: of gateway, function and workers, and of the emulators. $: list\n" +
      "prices per million messages.",
  );
  print(
    "Messages as fast as they arrive",
    capacity.map((figures) => ({
      version: figures.version,
      members: figures.members,
      "messages/s": round(figures.messagesPerSecond, 1),
      "deliveries/s": round(figures.deliveriesPerSecond, 0),
      "p50 ms": round(figures.p50Milliseconds, 0),
      "p99 ms": round(figures.p99Milliseconds, 0),
    })),
    "The highest steady rate at the end of which at most half a second's messages are under way; raised by a quarter each time.\n" +
      "Latency: until the last socket of a message. Clients and emulators share the cores.",
  );
  print(
    "200 conversations next to a flooded one",
    floods.map((figures) => ({
      version: figures.version,
      "flood/s": round(figures.floodPerSecond, 0),
      refused: figures.refused,
      "alone p50 ms": round(figures.alone.p50Milliseconds, 0),
      "alone p99 ms": round(figures.alone.p99Milliseconds, 0),
      "beside p50 ms": round(figures.beside.p50Milliseconds, 0),
      "beside p99 ms": round(figures.beside.p99Milliseconds, 0),
      lost: figures.lost,
    })),
    "20 messages a second in 200 conversations of three, while four senders write to another one as fast as they can. All\n" +
      "share the cores of this machine; on Lambda, they would not.",
  );
}

/** List price of a message's request and its delivery, without posts to sockets. */
function dollarsPerMillion(message: PathFigures): number {
  const { requests } = costsPerMillion({
    billedMilliseconds: billedMilliseconds({
      cpuMilliseconds: message.answerMilliseconds,
      callsInSeries: message.callsInSeries,
      memoryMegabytes,
    }),
    memoryMegabytes,
    readUnits: 0,
    writeUnits: 0,
    queuedMessages: 0,
    emails: 0,
  });
  const { stored } = costPerMillionDeliveries({
    recipients: 1,
    functionMilliseconds: message.p50Milliseconds,
    memoryMegabytes,
    readUnits: message.readUnits,
    writeUnits: message.writeUnits,
    queuedMessages: message.queueSends,
  });
  return requests + stored;
}

/** List price of a message's request and its delivery, by device. */
function dollarsPerMillionDelivered(message: MessageFigures): number {
  const { requests } = costsPerMillion({
    ...message,
    billedMilliseconds: billedMilliseconds({
      cpuMilliseconds: message.answerMilliseconds,
      callsInSeries: message.callsInSeries,
      memoryMegabytes,
    }),
    memoryMegabytes,
    queuedMessages: 0,
    emails: 0,
  });
  const { stored } = costPerMillionDeliveries({
    recipients: message.deliveries,
    functionMilliseconds: message.p50Milliseconds,
    memoryMegabytes,
    readUnits: message.later.readUnits,
    writeUnits: message.later.writeUnits,
    queuedMessages: message.later.queuedMessages,
  });
  return requests / message.deliveries + stored;
}

function printMls({
  messages,
  commits,
  race,
}: {
  readonly messages: readonly ProtocolFigures[];
  readonly commits: readonly CommitFigures[];
  readonly race: RaceFigures;
}): void {
  print(
    "A message to a conversation of either protocol",
    messages.map((message) => ({
      devices: message.members,
      protocol: message.protocol,
      "in series": message.callsInSeries,
      "DynamoDB calls": message.dynamodbCalls,
      "read units": message.readUnits,
      "write units": message.writeUnits,
      "later read": round(message.later.readUnits, 1),
      "later written": round(message.later.writeUnits, 1),
      "written/delivered": round((message.writeUnits + message.later.writeUnits) / message.deliveries, 2),
      "answer ms": round(message.answerMilliseconds, 1),
      "to socket p50 ms": round(message.p50Milliseconds, 1),
      "p99 ms": round(message.p99Milliseconds, 0),
      "CPU ms": round(message.cpuMilliseconds, 0),
      "$ per million delivered": round(dollarsPerMillionDelivered(message), 2),
    })),
    "As the messages to conversations, with both protocols in turns. The goal is three calls in series, and the time of\n" +
      "Proteus with a tenth more.",
  );
  print(
    "A commit to an MLS group",
    commits.map((commit) => ({
      "devices added": commit.added,
      "in series": commit.callsInSeries,
      goal: commit.added <= 100 ? 4 : undefined,
      "DynamoDB calls": commit.dynamodbCalls,
      "read units": commit.readUnits,
      "write units": commit.writeUnits,
      "later read": round(commit.later.readUnits, 1),
      "later written": round(commit.later.writeUnits, 1),
      "bundle KB": round(commit.bundleBytes / 1024, 1),
      "answer ms": round(commit.answerMilliseconds, 1),
      "CPU ms": round(commit.cpuMilliseconds, 0),
      "CPU ms in all": round(commit.cpuMillisecondsInAll, 0),
    })),
    "To a group of one device, in which each added device belongs to another user. CPU: of gateway, function and\n" +
      "workers until the answer, and until new members and the welcome have arrived, too.",
  );
  print(
    "Commits for the same epoch at the same moment",
    [
      {
        devices: race.devices,
        seconds: round(race.seconds, 0),
        epochs: race.epochs,
        "epochs/s": round(race.epochs / race.seconds, 2),
        "not one winner": race.wrongEpochs,
        "devices lost": race.lost,
        "all answers p50 ms": round(race.answersMilliseconds, 0),
        "all follow p50 ms": round(race.followMilliseconds, 0),
        "CPU ms per epoch": round(race.cpuMilliseconds, 0),
      },
    ],
    "Each device makes its commit before any is sent, and follows the winner by its notifications; what the devices\n" +
      "compute takes most of the time.",
  );
}

function printProvisioning(figures: readonly ProvisioningFigures[]): void {
  print(
    "A directory fills a team",
    figures.map((part) => ({
      "at a time": part.concurrency,
      "users so far": part.users,
      "answers/s": round(part.answersPerSecond, 0),
      "users/s": round(part.usersPerSecond, 0),
      "p50 ms": round(part.p50Milliseconds, 1),
      "CPU ms per user": round(part.cpuMilliseconds, 1),
      "AWS calls per user": round(sumOf(part.awsCalls), 1),
      "memory MB": round(part.memoryMegabytes, 0),
      "heap MB": round(part.heapMegabytes, 1),
    })),
    "Through one token with an identity provider, against emulators. Users/s: until all follow-up work is done. CPU and\n" +
      "memory: of gateway, functions and workers, with the events and the index entry of each user.",
  );
  const last = figures.at(-1);
  const calls = Object.entries(last?.awsCalls ?? {}).toSorted(([, one], [, other]) => other - one);
  print(
    "AWS calls for one provisioned user",
    calls.map(([name, count]) => ({ "function and call": name, "per user": round(count, 2) })),
    `Of the last part, ${last?.concurrency} requests at a time; without those that wait for messages.`,
  );
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

interface PriceFigures {
  readonly operations: readonly OperationFigures[];
  readonly events: readonly EventFigures[];
  readonly path: readonly PathFigures[];
}

function printActiveUser({ operations, events, path }: PriceFigures): void {
  const [event] = events;
  const message = path.find(({ members }) => members === activeUser.messageMembers);
  if (event === undefined || message === undefined)
    throw new Error("Events and messages of the active user are not measured");
  const perDelivery = costPerMillionDeliveries({
    ...event,
    memoryMegabytes,
    functionMilliseconds: event.p99Milliseconds,
  });
  const price = monthlyPrice({
    dollarsPerMillionRequests: new Map(
      operations.map(({ name, dollarsPerMillion }) => [name, dollarsPerMillion]),
    ),
    dollarsPerMillionDeliveries: perDelivery.stored + perDelivery.posted,
    dollarsPerMillionMessages: dollarsPerMillion(message) + dollarsOfPosts(message),
    dollarsPerMillionPings: pingDollars(prices) * 1e6,
    monthlyDollarsPerSocket: monthlyCostOfSockets(1),
  });
  const { requestsPerDay, messagesPerDay, deliveriesPerDay, openSocketHoursPerDay, pingSeconds } = activeUser;
  const requests = Object.entries(requestsPerDay).map(([name, count]) => `${count} × ${name}`);
  const together = Object.values(price).reduce((sum, part) => sum + part, 0);
  print(
    "A thousand active users, dollars a month",
    [
      Object.fromEntries(
        Object.entries({ ...price, together }).map(([part, one]) => [part, round(one * 1000, 2)]),
      ),
    ],
    `Each of them, every day: ${requests.join(", ")};\n` +
      `${messagesPerDay} messages to five others who are connected, ${deliveriesPerDay} other events received one by one, and a\n` +
      `socket of API Gateway open for ${openSocketHoursPerDay} hours, with a ping every ${pingSeconds} s (bench/active-user.ts). All requests of the\n` +
      "benchmark succeed, or it fails.",
  );
}

/** The price of a message that reaches a socket of each other member. */
function dollarsOfPosts({ members }: Pick<PathFigures, "members">): number {
  return (members - 1) * prices.webSocketMessage * 1e6;
}

function printSearch(measured: readonly SearchFigures[]): void {
  print(
    `GET /search/contacts among ${indexedUsers} users`,
    measured.map((search) => {
      const costs = costsPerMillion({
        ...search,
        billedMilliseconds: billedMilliseconds({
          cpuMilliseconds: search.handlerMilliseconds,
          callsInSeries: 2,
          memoryMegabytes,
        }),
        memoryMegabytes,
        writeUnits: 0,
        queuedMessages: 0,
        emails: 0,
      });
      return {
        search: search.search,
        found: search.found,
        "p50 ms": round(search.p50Milliseconds, 2),
        "p99 ms": round(search.p99Milliseconds, 2),
        "in function ms": round(search.handlerMilliseconds, 2),
        "DynamoDB calls": search.dynamodbCalls,
        "entries read": search.itemsRead,
        "read units": round(search.readUnits),
        "$ per million": round(costs.requests, 2),
      };
    }),
    "By a user without a team, 15 results, one search at a time, against emulators on the same machine. Found: among\n" +
      "the entries that were read. Calls are made in two rounds: the searcher and the handle, then the lists.",
  );
}

function printTeams({
  buildSeconds,
  deletionSeconds,
  operations,
}: Awaited<ReturnType<typeof measureTeams>>): void {
  print(
    "Members of a team",
    operations.map((figures) => ({
      operation: figures.operation,
      members: figures.members,
      "p50 ms": round(figures.milliseconds),
      "CPU ms": round(figures.cpuMilliseconds),
      "KB sent": round(figures.bytes / 1024),
      "DynamoDB calls": figures.dynamodbCalls,
      "read units": round(figures.readUnits),
      "write units": round(figures.writeUnits),
      "later read": round(figures.later.readUnits),
      "later written": round(figures.later.writeUnits),
    })),
    "One request at a time, against emulators on the same machine. CPU: of gateway, function and workers. Later: units\n" +
      `that the workers of its events and of the erasure consume. The teams were built in ${round(buildSeconds, 0)} s; the\n` +
      `large one was deleted in ${round(deletionSeconds, 0)} s.`,
  );
}

function printAssets(figures: readonly AssetFigures[]): void {
  print(
    "Uploads of assets",
    figures.map((upload) => ({
      "MB each": upload.megabytes,
      uploads: upload.uploads,
      "at the same time": upload.concurrency,
      "MB of memory, loaded": round(upload.loadedMegabytes, 0),
      "at most": round(upload.peakMegabytes, 0),
      "CPU ms each": round(upload.cpuMilliseconds),
      seconds: round(upload.seconds, 2),
    })),
    "In a process that runs only the function's bundle, against emulators on the same machine. An instance on\n" +
      "Lambda gets one request at a time. CPU: including the parsing of the event, which the runtime of Lambda does.",
  );
}

function printFunctions(functions: readonly FunctionFigures[]): void {
  const kilobytes = (bytes: number) => round(bytes / 1024, 0);
  print(
    "Functions",
    functions.map(({ name, minifiedBytes, gzipBytes, initMilliseconds, initRatio }) => ({
      function: name,
      "minified KB": kilobytes(minifiedBytes),
      "gzip KB": kilobytes(gzipBytes),
      "init CPU ms": round(initMilliseconds),
      ratio: round(initRatio, 2),
    })),
    "Init: CPU time of loading the bundle in a fresh process, median. The goal is a ratio of 1.3 to the floor, which\n" +
      "has nothing but the SDK client for DynamoDB; bench/budgets.json has the budget of each function.",
  );
}

function printFirstRequests(measured: readonly FirstRequestFigures[]): void {
  print(
    "First requests",
    measured.map(({ request, functionName, loadMilliseconds, requestMilliseconds }) => ({
      request,
      function: functionName,
      "start ms": round(loadMilliseconds),
      "request ms": round(requestMilliseconds),
      "sum ms": round(loadMilliseconds + requestMilliseconds),
    })),
    "CPU time of a fresh process, median: to load and warm up, which nobody waits for when Lambda starts an instance in\n" +
      "advance, and of the first request. The emulators speak HTTP; each TLS connection to AWS would add some milliseconds.",
  );
}

function printShortcuts(shortcuts: readonly ShortcutFigures[]): void {
  const percent = (share: number) => `${round(share * 100)} %`;
  print(
    "What shortcuts of lib/bundle save",
    shortcuts.map((figures) => ({
      shortcut: figures.shortcut,
      function: figures.functionName,
      KB: round(figures.kilobytes),
      "load ms": round(figures.loadMilliseconds),
      "of loading": percent(figures.loadShare),
      "of a start": percent(figures.startShare),
    })),
    "CPU time, median of pairs of processes with and without the shortcut. A start: loading and the first request.",
  );
}

function printBodies({ figures, bodies }: { figures: readonly BodyFigures[]; bodies: number }): void {
  print(
    "CPU of the dearest body of each public operation",
    figures.map(({ operation, kind, kilobytes, status, cpuMilliseconds, dollarsAnHour }) => ({
      operation,
      "CPU ms": round(cpuMilliseconds, 0),
      KB: round(kilobytes, 0),
      status,
      "$ an hour": round(dollarsAnHour, 2),
      "what is large": kind.slice(0, 60),
    })),
    `Searched for among ${bodies} bodies near the limits of their operations. An hour: as many of them as AWS WAF lets one\n` +
      `address send to the stage prod. Beyond ${mostMilliseconds} ms, an operation needs a budget.\n` +
      "Without the cost of hashing a password, which is limited for each address and user.",
  );
}

function printCommands(startSeconds: number, synthSeconds: number | undefined): void {
  const rows: Row[] = [{ command: "npm start, ready", seconds: round(startSeconds, 2), budget: 3 }];
  if (synthSeconds !== undefined) {
    rows.push({ command: "npm run synth", seconds: round(synthSeconds, 2), budget: 10 });
  }
  print("Commands", rows);
}

function print(title: string, rows: readonly Row[], note?: string): void {
  console.log(`\n${title}\n${formatTable(rows)}`);
  if (note !== undefined) console.log(note);
}
