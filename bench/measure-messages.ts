import { randomUUID } from "node:crypto";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { startStack } from "#lib/local/stack.ts";
import { chunks } from "#shared/platform/chunks.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { conversationData } from "../test/support/conversations.ts";
import { addDevices } from "../test/support/otr-messages.ts";
import { type BenchAnswer, type BenchRequest, call } from "./api-client.ts";
import { createTokenSigner, openMessageReceiver, type Receiver } from "./event-client.ts";
import type { ForkedStack } from "./forked-stack.ts";
import { type AwsCall, type Recording, startProxies, sumOf, untilQuiet } from "./recording-proxy.ts";
import { median, percentile } from "./table.ts";
import { traceCauses } from "./trace-causes.ts";

export interface MessageFigures extends Latency, Counts {
  readonly members: number;
  /** Devices to which a message is delivered. */
  readonly deliveries: number;
}

export interface Latency {
  /** Median. */
  readonly answerMilliseconds: number;
  /** Time from the message's timestamp until its frames arrive, one message at a time. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** CPU time of the process with gateway, functions and workers, for one message. */
  readonly cpuMilliseconds: number;
  /** CPU time of the emulators, if they run in their own processes. */
  readonly storeCpuMilliseconds: number;
}

export interface Counts {
  readonly dynamodbCalls: number;
  /** Calls in series before the answer. */
  readonly callsInSeries: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Calls after the answer. */
  readonly later: {
    readonly readUnits: number;
    readonly writeUnits: number;
    readonly queuedMessages: number;
  };
}

/** Only the last members, who wait longest, have sockets; more sockets would measure this machine. */
const maxSockets = 50;
/** Well above the noise of a measurement. */
export const delayMilliseconds = 100;
/** A ciphertext of about the usual size, in base64. */
const text = Buffer.alloc(300, 7).toString("base64");

interface Participant {
  readonly id: string;
  readonly clientId: string;
  /** Further devices. */
  readonly otherClientIds?: readonly string[];
  /** Access token, if the user is registered. */
  readonly token?: string;
}

/** A conversation whose first member sends messages. */
export interface Conversation {
  readonly id: string;
  readonly users: readonly Participant[];
  /** The request that sends a message with a number to all other devices. */
  readonly request: (number: number) => BenchRequest;
}

/** Store a conversation of users with this many devices each. */
export async function newConversation(members: number, prefix: string, devices = 1): Promise<Conversation> {
  const users: Participant[] = [];
  for (const ids of chunks(
    Array.from({ length: members }, () => randomUUID()),
    50,
  )) {
    const added = ids.map(async (id) => {
      const [clientId = "", ...otherClientIds] = await addDevices({ id }, devices, { prefix });
      return { id, clientId, otherClientIds };
    });
    users.push(...(await Promise.all(added)));
  }
  return proteusConversation({ prefix, users });
}

/** Store a conversation in which messages are encrypted for each device. */
export async function proteusConversation({
  prefix: ofStack,
  users,
  ...fields
}: Pick<Conversation, "users"> & {
  readonly prefix: string;
  readonly team?: { readonly id: string };
}): Promise<Conversation> {
  const { id } = await conversationData({ prefix: ofStack }).newConversation(users, fields);
  const [sender] = users;
  const recipients = Object.fromEntries(
    users
      .map(({ id: userId, clientId, otherClientIds = [] }) => {
        const clientIds = userId === sender?.id ? otherClientIds : [clientId, ...otherClientIds];
        return [userId, Object.fromEntries(clientIds.map((one) => [one, text]))] as const;
      })
      .filter(([, texts]) => Object.keys(texts).length > 0),
  );
  const request = (number: number) => ({
    method: "POST",
    path: `/conversations/${id}/otr/messages`,
    json: { sender: sender?.clientId, recipients, data: btoa(String(number)) },
  });
  return { id, users, request };
}

export type Sign = Awaited<ReturnType<typeof createTokenSigner>>;
let lastNumber = 0;

/** A number that no message has had yet. */
export const nextNumber = () => ++lastNumber;

/** Send a message from the first member to all others. */
export async function send(publicUrl: string, token: string, { request }: Conversation, number: number) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await call(publicUrl, { ...request(number), headers }, 201);
  return { ...answer, sentAt: Date.parse(answer.body.time) - performance.timeOrigin };
}

export const tokenOf = (sign: Sign, { users: [sender] }: Conversation) =>
  sender?.token ?? sign(sender?.id ?? "");

/** Open a socket for each of the last members. */
export const openSockets = (publicUrl: string, sign: Sign, { users }: Conversation, count = maxSockets) =>
  Promise.all(
    users
      .slice(1)
      .slice(-count)
      .map(({ id, token = sign(id) }) => openMessageReceiver(publicUrl, token)),
  );

/** Milliseconds from the message's timestamp until a receiver has it. */
export const waitOf = ({ receivedAt }: Receiver, number: number, sentAt: number) =>
  (receivedAt.get(number) ?? Number.NaN) - sentAt;

/** Times of some messages. */
export interface MessageSamples {
  readonly answers: readonly number[];
  readonly waits: readonly number[];
  readonly cpuMilliseconds: number;
  readonly storeCpuMilliseconds: number;
}

/** Summarise samples of equal sizes. */
export function latencyOf(samples: readonly MessageSamples[]): Latency {
  const answers = samples.flatMap((one) => one.answers);
  const waits = samples.flatMap((one) => one.waits);
  return {
    cpuMilliseconds: median(samples.map((one) => one.cpuMilliseconds)),
    storeCpuMilliseconds: median(samples.map((one) => one.storeCpuMilliseconds)),
    answerMilliseconds: median(answers),
    p50Milliseconds: median(waits),
    p99Milliseconds: percentile(waits, 0.99),
  };
}

/** Send messages one at a time, each once the last socket has the previous one. */
export async function sampleMessages(
  forked: ForkedStack,
  publicUrl: string,
  sign: Sign,
  conversation: Conversation,
  {
    messages,
    warmUps,
    storeCpuSeconds = async () => 0,
  }: { messages: number; warmUps: number; storeCpuSeconds?: () => Promise<number> },
): Promise<MessageSamples> {
  const token = tokenOf(sign, conversation);
  const receivers = await openSockets(publicUrl, sign, conversation);
  const answers: number[] = [];
  const waits: number[] = [];
  let [before, storeBefore] = [0, 0];
  for (let index = 1; index <= warmUps + messages; index++) {
    const number = nextNumber();
    const { milliseconds, sentAt } = await send(publicUrl, token, conversation, number);
    await Promise.all(receivers.map((receiver) => receiver.until(number)));
    if (index === warmUps) {
      before = (await forked.ask({ command: "report" })).cpuSeconds;
      storeBefore = await storeCpuSeconds();
    }
    if (index <= warmUps) continue;
    answers.push(milliseconds);
    waits.push(...receivers.map((receiver) => waitOf(receiver, number, sentAt)));
  }
  const { cpuSeconds } = await forked.ask({ command: "report" });
  const storeAfter = await storeCpuSeconds();
  for (const receiver of receivers) receiver.close();
  return {
    answers,
    waits,
    cpuMilliseconds: ((cpuSeconds - before) * 1000) / messages,
    storeCpuMilliseconds: ((storeAfter - storeBefore) * 1000) / messages,
  };
}

/** A stack whose calls all pass a recording proxy. */
export interface CountedStack {
  readonly publicUrl: string;
  readonly recording: Recording;
  readonly sign: Sign;
}

/** Run a task with a second stack on the data of another one, whose calls are counted. */
export async function withCountedStack<Result>(
  emulators: Emulators,
  options: { readonly prefix: string; readonly settings: SettingsInput },
  task: (stack: CountedStack) => Promise<Result>,
): Promise<Result> {
  traceCauses();
  const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
  const proxies = await startProxies(emulators.environment, recording);
  const { environment } = proxies;
  Object.assign(process.env, environment);
  const stack = await startStack({
    prefix: options.prefix,
    settings: { ...options.settings, outboxResendSeconds: 3600 },
    emulators: { environment, folder: emulators.folder },
  });
  try {
    const sign = await createTokenSigner(options.prefix);
    return await task({ publicUrl: stack.publicUrl, recording, sign });
  } finally {
    await stack.stop();
    await proxies.stop();
    Object.assign(process.env, emulators.environment);
  }
}

/** Count the calls and units of a message in each of some conversations. */
export async function countMessages(
  { publicUrl, recording, sign }: CountedStack,
  conversations: readonly Conversation[],
): Promise<Counts[]> {
  const counts: Counts[] = [];
  for (const conversation of conversations) {
    const token = tokenOf(sign, conversation);
    const [last] = await openSockets(publicUrl, sign, conversation, 1);
    const sendNext = async () => {
      const number = nextNumber();
      const answer = await send(publicUrl, token, conversation, number);
      return { answer, arrived: last?.until(number) };
    };
    counts.push(await countRequests(recording, Array(5).fill(sendNext)));
    last?.close();
  }
  return counts;
}

/** A request of the benchmark, and a promise that its effects have arrived. */
type CountedRequest = () => Promise<{ readonly answer: BenchAnswer; readonly arrived?: Promise<void> }>;

/**
 * Count the calls of a request by similar ones: one that warms up, two whose DynamoDB calls are delayed, and two that are
 * not, of which the last is counted.
 */
export async function countRequests(
  recording: Recording,
  requests: readonly CountedRequest[],
): Promise<Counts> {
  const sample = async (index: number, milliseconds: number) => {
    const request = requests[index];
    if (request === undefined) throw new Error("Five requests are needed");
    await untilQuiet(recording);
    recording.calls.length = 0;
    recording.delayMilliseconds = milliseconds;
    const { answer, arrived } = await request();
    recording.delayMilliseconds = 0;
    await arrived;
    await untilQuiet(recording);
    return answer;
  };
  await sample(0, 0);
  const delayed = [await sample(1, delayMilliseconds), await sample(2, delayMilliseconds)];
  const plain = [await sample(3, 0), await sample(4, 0)];
  const fastest = (answers: typeof plain) => Math.min(...answers.map(({ milliseconds }) => milliseconds));
  const { cause } = plain[1] as BenchAnswer;
  const isOwn = (recorded: AwsCall) => recorded.cause === cause;
  const own = recording.calls.filter((recorded) => isOwn(recorded) && recorded.service === "DYNAMODB");
  const later = recording.calls.filter((recorded) => recorded.cause === undefined);
  const isSend = ({ action }: AwsCall) => action.startsWith("SendMessage");
  return {
    dynamodbCalls: own.length,
    callsInSeries: Math.round((fastest(delayed) - fastest(plain)) / delayMilliseconds),
    readUnits: sumOf(own, "readUnits"),
    writeUnits: sumOf(own, "writeUnits"),
    later: {
      readUnits: sumOf(later, "readUnits"),
      writeUnits: sumOf(later, "writeUnits"),
      queuedMessages: recording.calls.filter(isSend).length,
    },
  };
}
