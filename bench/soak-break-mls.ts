import pLimit from "p-limit";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { type Api, apiAt } from "../test/support/api.ts";
import { addition, type MlsClient } from "../test/support/mls.ts";
import { commitRepeatedly, type EnduringGroup, findProblems } from "../test/support/mls-endurance.ts";
import { type ForkedStack, forkStack } from "./forked-stack.ts";
import { mlsSettings, newMlsPeople } from "./mls-people.ts";
import type { SoakOptions, SoakResult } from "./soak-fuzz-mls.ts";

const prefix = "break";
const defaultCount = 1000;
const commitsOfGroup = 20;
/** Of a group: its administrator is the same everywhere. */
const membersOfGroup = 2;
/** Groups in which devices commit at the same moment. */
const concurrentGroups = 8;
/** Share of the AWS calls that fail. */
const faults = 0.05;
/** A process dies before or after any call, at the earliest after some time up to this one. */
const longestLifeMilliseconds = 8000;
/** Afterwards nothing fails any more for the commits that are left, so that a soak ends however busy the machine is. */
const longestBreakSecondsPerCommit = 1;
const settings: SettingsInput = { ...mlsSettings, outboxResendSeconds: 2 };

/**
 * Let devices commit to groups while AWS calls fail and the process of functions and workers is killed before and after
 * any of its calls. Then nothing fails any more, and every device has to be able to follow.
 */
export async function breakMls(
  emulators: Emulators,
  { seed, count = defaultCount }: SoakOptions,
): Promise<SoakResult> {
  const stacks = new FrailStacks(emulators);
  const publicApi: Api = (...request) => stacks.api(...request);
  try {
    return await breakGroups(stacks, { seed, count, publicApi });
  } finally {
    await stacks.stop();
  }
}

async function breakGroups(
  stacks: FrailStacks,
  { seed, count, publicApi }: { seed: number; count: number; publicApi: Api },
): Promise<SoakResult> {
  await stacks.start();
  const groupCount = Math.ceil(count / commitsOfGroup);
  const groups: EnduringGroup[] = [];
  for (let index = 0; index < groupCount; index++) {
    const people = await newMlsPeople(membersOfGroup + 2, { prefix, publicApi });
    const [admin, ...others] = people.devices as [MlsClient, ...MlsClient[]];
    const guest = others.pop() as MlsClient;
    const group = await people.newGroup();
    const packages = await Promise.all(others.map((member) => member.makePackage()));
    await admin.mustCommit(...packages.map(({ publicPackage }) => addition(publicPackage)));
    groups.push({ ...group, admin, members: others, guest });
  }
  await stacks.break();
  const chance = newChance(seed);
  const startedAt = performance.now();
  const longestBreakSeconds = count * longestBreakSecondsPerCommit;
  const patience = setTimeout(() => stacks.heal(), longestBreakSeconds * 1000);
  const limit = pLimit(concurrentGroups);
  const results = await Promise.allSettled(
    groups.map((group) => limit(() => commitRepeatedly(group, commitsOfGroup, chance))),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  clearTimeout(patience);
  await stacks.heal();
  const problems = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
  for (const group of groups) problems.push(...(await findProblems(group, prefix)));
  const epochs = groups.reduce((sum, { admin }) => sum + admin.epoch, 0);
  return {
    rows: [
      {
        groups: groupCount,
        commits: epochs,
        kills: stacks.kills,
        seconds: Math.round(seconds),
        "seconds until healed": Math.round(Math.min(seconds, longestBreakSeconds)),
      },
    ],
    problems,
  };
}

/** Numbers between 0 and 1 that a seed determines, although their use depends on what fails. */
function newChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A stack whose process is replaced whenever it dies. */
class FrailStacks {
  kills = 0;
  readonly #emulators: Emulators;
  #running: Promise<ForkedStack> | undefined;
  #publicUrl = "";
  #isBroken = false;
  #healed: Promise<void> | undefined;

  constructor(emulators: Emulators) {
    this.#emulators = emulators;
  }

  api(...request: Parameters<Api>): ReturnType<Api> {
    return apiAt(this.#publicUrl)(...request);
  }

  start(): Promise<ForkedStack> {
    this.#running = this.#start();
    return this.#running;
  }

  async #start(): Promise<ForkedStack> {
    const { environment, folder } = this.#emulators;
    const stack = forkStack();
    const { publicUrl } = await stack.ask({ command: "start", settings, prefix, environment, folder });
    this.#publicUrl = publicUrl;
    if (this.#isBroken) this.#breakCalls(stack);
    return stack;
  }

  /** Let calls fail and the process die, again and again. */
  async break(): Promise<void> {
    this.#isBroken = true;
    const stack = await this.#running;
    if (stack !== undefined) this.#breakCalls(stack);
  }

  #breakCalls(stack: ForkedStack): void {
    stack.ended.then(() => {
      if (!this.#isBroken) return undefined;
      this.kills++;
      return this.start();
    });
    // It may die before it answers.
    const livesMilliseconds = Math.random() * longestLifeMilliseconds;
    stack.ask({ command: "break", faults, livesMilliseconds }).catch(() => undefined);
  }

  /** Replace the process by one in which nothing fails, for good. */
  heal(): Promise<void> {
    this.#healed ??= this.#heal();
    return this.#healed;
  }

  async #heal(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    this.#isBroken = false;
    await (await this.#running)?.stop();
  }
}
