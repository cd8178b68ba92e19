import { randomBytes } from "node:crypto";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { encodeOpaque } from "#shared/devices/mls/tls-reader.ts";
import { outcome } from "../test/support/api.ts";
import type { MlsClient, PreparedCommit } from "../test/support/mls.ts";
import { type BenchAnswer, type BenchRequest, call } from "./api-client.ts";
import { createTokenSigner } from "./event-client.ts";
import { type ForkedStack, forkStack } from "./forked-stack.ts";
import {
  type Conversation,
  type Counts,
  countMessages,
  countRequests,
  type Latency,
  latencyOf,
  type MessageFigures,
  proteusConversation,
  sampleMessages,
  withCountedStack,
} from "./measure-messages.ts";
import {
  additionsOf,
  bundleOf,
  type MlsPeople,
  mlsSettings,
  mustSucceed,
  newMlsPeople,
} from "./mls-people.ts";
import { median } from "./table.ts";

/** Messages of the same number of devices, with either protocol. */
export interface ProtocolFigures extends MessageFigures {
  readonly protocol: "Proteus" | "MLS";
}

/** A commit that adds devices. */
export interface CommitFigures extends Counts {
  readonly added: number;
  readonly bundleBytes: number;
  readonly answerMilliseconds: number;
  /**
   * CPU time of the process with gateway, functions and workers, until the answer and until all follow-up work is done.
   */
  readonly cpuMilliseconds: number;
  readonly cpuMillisecondsInAll: number;
}

/** Devices that commit for the same epoch at the same moment. */
export interface RaceFigures {
  readonly devices: number;
  readonly seconds: number;
  readonly epochs: number;
  /** Epochs in which the number of accepted commits was not one, or another commit was not refused as stale. */
  readonly wrongEpochs: number;
  /** Devices that are not in the last epoch at the end. */
  readonly lost: number;
  /** Time from the first request to the last answer of an epoch. */
  readonly answersMilliseconds: number;
  /** Time from the last answer until all devices are in the next epoch, including their own computations. */
  readonly followMilliseconds: number;
  /** CPU time of the stack for one epoch, including refused commits. */
  readonly cpuMilliseconds: number;
}

const prefix = "mls";
const sizes = [
  { members: 10, rounds: 6, messages: 10, warmUps: 20 },
  { members: 500, rounds: 4, messages: 5, warmUps: 2 },
];
const additions = [1, 10, 100, 500];
const racers = 20;
const raceSeconds = 60;
/** Commits of each size whose time and CPU are measured, after a first one. */
const timedCommits = 3;
/** The number that `countRequests` needs. */
const countedCommits = 5;

/** Measure messages to MLS groups and, for comparison, those of Proteus; also commits. */
export async function measureMls(emulators: Emulators): Promise<{
  messages: ProtocolFigures[];
  commits: CommitFigures[];
  race: RaceFigures;
}> {
  const { environment, folder } = emulators;
  const forked = forkStack();
  try {
    const settings = mlsSettings;
    const { publicUrl } = await forked.ask({ command: "start", settings, prefix, environment, folder });
    await forked.ask({ command: "count-calls" });
    const people = await newMlsPeople(Math.max(...additions) + 1, { publicUrl, prefix });
    const race = await raceCommits(forked, people);
    const messages = await timeBoth(forked, publicUrl, people);
    const commits: Timed[] = [];
    for (const added of additions) commits.push(await timeCommits(forked, publicUrl, people, added));
    const prepared = new Map<number, readonly BenchRequest[]>();
    for (const added of additions) prepared.set(added, await prepareCommits(people, added, countedCommits));
    await forked.ask({ command: "settle" });
    await forked.stop();
    return await withCountedStack(emulators, { prefix, settings }, async (stack) => {
      const counts = await countMessages(
        stack,
        messages.map(({ conversation }) => conversation),
      );
      const countsOfCommits: Counts[] = [];
      for (const { added } of commits) {
        const requests = (prepared.get(added) ?? []).map((request) => async () => ({
          answer: await call(stack.publicUrl, request, 201),
        }));
        countsOfCommits.push(await countRequests(stack.recording, requests));
      }
      return {
        race,
        messages: messages.map(({ conversation: { users }, ...figures }, index) => ({
          members: users.length,
          deliveries: users.length - 1,
          ...figures,
          ...(counts[index] as Counts),
        })),
        commits: commits.map((figures, index) => ({ ...figures, ...(countsOfCommits[index] as Counts) })),
      };
    });
  } finally {
    await forked.stop();
  }
}

interface Measured extends Latency {
  readonly protocol: ProtocolFigures["protocol"];
  readonly conversation: Conversation;
}

/** Time messages to a conversation of either protocol, in turns, so that a busy moment of the machine affects both. */
async function timeBoth(forked: ForkedStack, publicUrl: string, people: MlsPeople): Promise<Measured[]> {
  const sign = await createTokenSigner(prefix);
  const measured: Measured[] = [];
  for (const { members, rounds, messages, warmUps } of sizes) {
    const devices = people.devices.slice(0, members);
    const users = devices.map(toParticipant);
    const both = [
      {
        protocol: "Proteus" as const,
        conversation: await proteusConversation({ prefix, users, team: people.team }),
      },
      { protocol: "MLS" as const, conversation: await mlsConversation(people, devices) },
    ];
    await forked.ask({ command: "settle" });
    const samples = both.map((): Awaited<ReturnType<typeof sampleMessages>>[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, { conversation }] of both.entries()) {
        const numbers = { messages, warmUps: round === 0 ? warmUps : 1 };
        samples[index]?.push(await sampleMessages(forked, publicUrl, sign, conversation, numbers));
      }
    }
    measured.push(...both.map((one, index) => ({ ...one, ...latencyOf(samples[index] ?? []) })));
  }
  return measured;
}

const toParticipant = ({ user: { id }, clientId, token }: MlsClient) => ({ id, clientId, token });

/** A group of devices, in which the first one sends. */
async function mlsConversation(people: MlsPeople, devices: readonly MlsClient[]): Promise<Conversation> {
  const [creator, ...others] = devices as [MlsClient, ...MlsClient[]];
  const { id, groupId } = await people.newGroup();
  mustSucceed(await creator.commit(...(await additionsOf(others))));
  const { epoch } = creator;
  return {
    id,
    users: devices.map(toParticipant),
    request: (number) => ({
      method: "POST",
      path: "/v9/mls/messages",
      mls: applicationMessage({ groupId: Buffer.from(groupId, "base64"), epoch }, number),
    }),
  };
}

/** As large as the ciphertexts for Proteus; the service cannot read it, and receivers find the number at its end. */
function applicationMessage({ groupId, epoch }: { groupId: Buffer; epoch: number }, number: number) {
  const head = Buffer.alloc(8 + 1);
  head.writeBigUInt64BE(BigInt(epoch));
  head.writeUInt8(1, 8); // ContentType application
  const ciphertext = randomBytes(300);
  ciphertext.writeUInt32BE(number, ciphertext.length - 4);
  const parts = [Buffer.from([0, 1, 0, 2]), encodeOpaque(groupId), head, encodeOpaque(Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([...parts, encodeOpaque(randomBytes(28)), encodeOpaque(ciphertext)]));
}

type Timed = Omit<CommitFigures, keyof Counts>;

const requestOf = ({ token }: MlsClient, commit: PreparedCommit): BenchRequest => ({
  method: "POST",
  path: "/v9/mls/commit-bundles",
  headers: { authorization: `Bearer ${token}` },
  mls: bundleOf(commit),
});

/** Commits that add devices, each to another group with only the first device in it. */
async function prepareCommits(people: MlsPeople, added: number, count: number): Promise<BenchRequest[]> {
  const [creator, ...others] = people.devices as [MlsClient, ...MlsClient[]];
  const proposals = await additionsOf(others.slice(0, added));
  const requests: BenchRequest[] = [];
  for (let index = 0; index < count; index++) {
    await people.newGroup();
    requests.push(requestOf(creator, await creator.prepare(...proposals)));
  }
  return requests;
}

async function timeCommits(
  forked: ForkedStack,
  publicUrl: string,
  people: MlsPeople,
  added: number,
): Promise<Timed> {
  const requests = await prepareCommits(people, added, 1 + timedCommits);
  const samples: { answer: BenchAnswer; cpu: number; cpuInAll: number }[] = [];
  for (const request of requests) {
    const before = (await forked.ask({ command: "settle" })).cpuSeconds;
    const answer = await call(publicUrl, request, 201);
    const answered = (await forked.ask({ command: "report" })).cpuSeconds;
    const after = (await forked.ask({ command: "settle" })).cpuSeconds;
    samples.push({ answer, cpu: (answered - before) * 1000, cpuInAll: (after - before) * 1000 });
  }
  const timed = samples.slice(1);
  const [{ mls: bundle = new Uint8Array() } = {}] = requests;
  return {
    added,
    bundleBytes: bundle.length,
    answerMilliseconds: median(timed.map(({ answer }) => answer.milliseconds)),
    cpuMilliseconds: median(timed.map(({ cpu }) => cpu)),
    cpuMillisecondsInAll: median(timed.map(({ cpuInAll }) => cpuInAll)),
  };
}

/** Let all devices of a group commit for the same epoch at the same moment, again and again. */
async function raceCommits(forked: ForkedStack, people: MlsPeople): Promise<RaceFigures> {
  const devices = people.devices.slice(0, racers);
  const [creator, ...others] = devices as [MlsClient, ...MlsClient[]];
  await people.newGroup();
  mustSucceed(await creator.commit(...(await additionsOf(others))));
  for (const device of others) await followTo(device, creator.epoch);
  const answersMilliseconds: number[] = [];
  const followMilliseconds: number[] = [];
  const cpu: number[] = [];
  let wrongEpochs = 0;
  const startedAt = performance.now();
  while (performance.now() - startedAt < raceSeconds * 1000) {
    const { epoch } = creator;
    const prepared: PreparedCommit[] = [];
    for (const device of devices) prepared.push(await device.prepare());
    const before = (await forked.ask({ command: "report" })).cpuSeconds;
    const sentAt = performance.now();
    const answers = await Promise.all(
      devices.map((device, index) => device.send(prepared[index] as PreparedCommit)),
    );
    const answeredAt = performance.now();
    answersMilliseconds.push(answeredAt - sentAt);
    cpu.push(((await forked.ask({ command: "report" })).cpuSeconds - before) * 1000);
    const outcomes = answers.map(outcome);
    const won = outcomes.filter((one) => one === "201").length;
    const stale = outcomes.filter((one) => one === "409 mls-stale-message").length;
    if (won !== 1 || stale !== racers - 1) wrongEpochs++;
    for (const device of devices) await followTo(device, epoch + 1);
    followMilliseconds.push(performance.now() - answeredAt);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const tags = new Set(devices.map(({ state }) => Buffer.from(state.confirmationTag).toString("hex")));
  const last = Math.max(...devices.map(({ epoch }) => epoch));
  return {
    devices: racers,
    seconds,
    epochs: answersMilliseconds.length,
    wrongEpochs,
    lost: tags.size - 1 + devices.filter(({ epoch }) => epoch !== last).length,
    answersMilliseconds: median(answersMilliseconds),
    followMilliseconds: median(followMilliseconds),
    cpuMilliseconds: median(cpu),
  };
}

const longestWaitMilliseconds = 20_000;

/** Handle events until a device is in an epoch, or has waited too long. */
async function followTo(device: MlsClient, epoch: number): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < longestWaitMilliseconds) {
    await device.catchUp();
    if (device.isInGroup && device.epoch >= epoch) return;
  }
}
