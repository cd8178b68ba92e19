import { createPublicKey, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import type { BotEvent } from "#shared/events/bot-event.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { rsaFingerprint } from "#shared/platform/outbound/rsa-key.ts";
import type { ServiceId } from "#shared/services/service.ts";
import { conversationData } from "../test/support/conversations.ts";
import { addDevices } from "../test/support/otr-messages.ts";
import { serviceData } from "../test/support/services.ts";
import { stackConfig } from "../test/support/stack-config.ts";
import { newServiceCertificate, sharedServiceKey } from "../test/support/tls-service.ts";
import { call } from "./api-client.ts";
import { createTokenSigner } from "./event-client.ts";
import { type ForkedStack, forkStack } from "./forked-stack.ts";
import { median } from "./table.ts";

/** Calls of AWS for one message to a group, by the function that makes them. */
export interface BotCallFigures {
  readonly members: string;
  readonly byFunction: Readonly<Record<string, number>>;
}

interface Timing {
  readonly deliveriesPerSecond: number;
  /** CPU time of the process with all workers, for one delivery. */
  readonly cpuMilliseconds: number;
}

/** Throughput of the worker that calls services. */
export interface BotThroughputFigures extends Timing {
  readonly otherServices: string;
}

const prefix = "bots";
const groupSize = 10;
const bots = 200;
const eventsEach = 10;
const answerMilliseconds = 50;
const otherServices = 100;
const eventsOfOthers = 3;
const rounds = 3;
const text = Buffer.alloc(300, 7).toString("base64");

interface Bot {
  readonly id: string;
  readonly service: ServiceId;
}

/**
 * Measure what a bot adds to a message, and deliveries to bots both while other services answer and while they do not.
 */
export async function measureBots({
  environment,
  folder,
}: Emulators): Promise<{ calls: BotCallFigures[]; throughput: BotThroughputFigures[] }> {
  const server = await startService();
  const forked = forkStack();
  try {
    const settings = { services: { allowsPrivateAddresses: true } };
    const { publicUrl } = await forked.ask({ command: "start", settings, prefix, environment, folder });
    const newService = () => storeService(server);
    const calls = await countCalls(forked, publicUrl, newService);
    return { calls, throughput: await measureThroughput(server, newService, forked) };
  } finally {
    server.stop();
    await forked.stop();
  }
}

/** A server that answers after a while, but never for some bots, and counts its answers for the others. */
async function startService() {
  const key = sharedServiceKey();
  const silent = new Set<string>();
  const counted = new Set<string>();
  let count = 0;
  let isReached: (() => void) | undefined;
  const server = createServer(
    { key: key.privateKey, cert: await newServiceCertificate(key) },
    async (request, response) => {
      const [, , botId = ""] = request.url?.split("/") ?? [];
      request.resume();
      if (silent.has(botId)) return;
      await delay(answerMilliseconds);
      response.end();
      if (!counted.has(botId)) return;
      count++;
      isReached?.();
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKey: key.publicKey,
    authToken: "bench",
    silent,
    counted,
    /** Wait until this many more calls of counted bots have been answered. */
    async answers(more: number): Promise<void> {
      const target = count + more;
      while (count < target) {
        await new Promise<void>((resolve) => {
          isReached = resolve;
        });
      }
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Store an enabled service. */
async function storeService({ baseUrl, publicKey, authToken }: Server): Promise<ServiceId> {
  const id = { providerId: randomUUID(), serviceId: randomUUID() };
  const key = createPublicKey(publicKey);
  const service = {
    ...id,
    name: "Echo",
    summary: "Repeats",
    description: "Repeats what it hears",
    assets: [],
    tags: [],
    isEnabled: true,
    baseUrl,
    keys: [{ pem: publicKey, bits: 2048, fingerprint: rsaFingerprint(key) ?? "" }],
    authTokens: [authToken],
  };
  await transact(createDynamo(), serviceData({ prefix }).services.create(service));
  return id;
}

type Server = Awaited<ReturnType<typeof startService>>;

async function countCalls(
  forked: ForkedStack,
  publicUrl: string,
  newService: () => Promise<ServiceId>,
): Promise<BotCallFigures[]> {
  const sign = await createTokenSigner(prefix);
  const users = await Promise.all(
    Array.from({ length: groupSize }, async () => {
      const id = randomUUID();
      const [clientId = ""] = await addDevices({ id }, 1, { prefix });
      return { id, clientId };
    }),
  );
  const people = await conversationData({ prefix }).newConversation(users);
  const service = await newService();
  const ref = { id: service.serviceId, provider: service.providerId };
  const { id, botId } = await serviceData({ prefix }).newGroupWithBot(ref, users.slice(1));
  const [clientId = ""] = await addDevices({ id: botId }, 1, { prefix });
  const groups = [
    { members: `${groupSize} people`, id: people.id, all: users },
    { members: `${groupSize - 1} people and a bot`, id, all: [...users.slice(1), { id: botId, clientId }] },
  ];
  await forked.ask({ command: "count-calls" });
  const figures: BotCallFigures[] = [];
  for (const { members, id, all } of groups) {
    const [sender, ...others] = all;
    const send = async () => {
      const json = {
        sender: sender?.clientId,
        recipients: Object.fromEntries(others.map((one) => [one.id, { [one.clientId]: text }])),
      };
      const headers = { authorization: `Bearer ${sign(sender?.id ?? "")}` };
      const path = `/conversations/${id}/otr/messages`;
      await call(publicUrl, { method: "POST", path, headers, json }, 201);
      return (await forked.ask({ command: "settle" })).awsCalls;
    };
    const before = await send();
    const after = await send();
    figures.push({ members, byFunction: byFunction(before, after) });
  }
  return figures;
}

/** Sums up calls by function, without those of pollers, whose number varies by chance. */
function byFunction(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of Object.entries(after)) {
    const [caller = ""] = name.split(" ");
    if (caller !== "pollers") sums[caller] = (sums[caller] ?? 0) + count - (before[name] ?? 0);
  }
  return sums;
}

async function measureThroughput(
  server: Server,
  newService: () => Promise<ServiceId>,
  forked: ForkedStack,
): Promise<BotThroughputFigures[]> {
  const service = await newService();
  const ours = Array.from({ length: bots }, (): Bot => ({ id: randomUUID(), service }));
  const newOthers = () =>
    Promise.all(
      Array.from({ length: otherServices }, async (): Promise<Bot> => {
        return { id: randomUUID(), service: await newService() };
      }),
    );
  const [answering, silent, dying] = await Promise.all([newOthers(), newOthers(), newOthers()]);
  for (const { id } of ours) server.counted.add(id);
  for (const { id } of [...silent, ...dying]) server.silent.add(id);
  const time = async (others: readonly Bot[]): Promise<Timing> => {
    const events = inTurn(ours, eventsEach).concat(inTurn(others, eventsOfOthers));
    const { cpuSeconds: before } = await forked.ask({ command: "report" });
    const startedAt = performance.now();
    const answered = server.answers(bots * eventsEach);
    await enqueue(events.toSorted((one, other) => one.turn - other.turn));
    await answered;
    const seconds = (performance.now() - startedAt) / 1000;
    const { cpuSeconds } = await forked.ask({ command: "report" });
    const deliveries = bots * eventsEach;
    return {
      deliveriesPerSecond: deliveries / seconds,
      cpuMilliseconds: ((cpuSeconds - before) * 1000) / deliveries,
    };
  };
  await time(answering);
  await enqueue(inTurn(silent, 1));
  // A first attempt takes five seconds; after it, the services are known to be slow.
  await delay(8000);
  const timings: Record<"answering" | "silent", Timing[]> = { answering: [], silent: [] };
  for (let round = 0; round < rounds; round++) {
    timings.answering.push(await time(answering));
    timings.silent.push(await time(silent));
  }
  return [
    { otherServices: "answer", ...medianOf(timings.answering) },
    { otherServices: "have stopped answering", ...medianOf(timings.silent) },
    { otherServices: "stop answering now", ...(await time(dying)) },
  ];
}

const medianOf = (timings: readonly Timing[]): Timing => ({
  deliveriesPerSecond: median(timings.map(({ deliveriesPerSecond }) => deliveriesPerSecond)),
  cpuMilliseconds: median(timings.map(({ cpuMilliseconds }) => cpuMilliseconds)),
});

interface Turn {
  readonly bot: Bot;
  /** From 0 to 1. */
  readonly turn: number;
}

const inTurn = (all: readonly Bot[], times: number): Turn[] =>
  Array.from({ length: times }, (_, index) => all.map((bot) => ({ bot, turn: index / times }))).flat();

/** Put events into the queue of bots, as `fan-out` does. */
async function enqueue(turns: readonly Turn[]): Promise<void> {
  const sqs = new SQSClient();
  const QueueUrl = stackConfig(prefix).queueUrl("bot-events");
  for (const batch of chunks(turns, 10)) {
    const Entries = batch.map(({ bot }, index) => {
      const id = randomUUID();
      const event: BotEvent = {
        id,
        botId: bot.id,
        service: { id: bot.service.serviceId, provider: bot.service.providerId },
        eventId: id,
        event: JSON.stringify({ type: "bench.event", conversation: bot.id, data: { text } }),
      };
      return {
        Id: String(index),
        MessageBody: JSON.stringify(event),
        MessageGroupId: bot.id,
        MessageDeduplicationId: id,
      };
    });
    await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
  sqs.destroy();
}
