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
const groupCount = 50;
/** Of a group: its administrator is the same everywhere. */
const membersOfGroup = 2;
/** Groups in which devices commit at the same moment. */
const concurrentGroups = 8;
/** Shares of the AWS calls that fail, and before or after which the process dies. */
const faults = 0.05;
const kills = 0.002;
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
  await stacks.start();
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
  const limit = pLimit(concurrentGroups);
  const each = Math.ceil(count / groupCount);
  await Promise.all(groups.map((group) => limit(() => commitRepeatedly(group, each, chance))));
  const seconds = (performance.now() - startedAt) / 1000;
  await stacks.heal();
  const problems: string[] = [];
  for (const group of groups) problems.push(...(await findProblems(group, prefix)));
  await stacks.stop();
  const epochs = groups.reduce((sum, { admin }) => sum + admin.epoch, 0);
  return {
    rows: [{ groups: groupCount, commits: epochs, kills: stacks.kills, seconds: Math.round(seconds) }],
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
  #stack: ForkedStack | undefined;
  #publicUrl = "";
  #isBroken = false;

  constructor(emulators: Emulators) {
    this.#emulators = emulators;
  }

  api(...request: Parameters<Api>): ReturnType<Api> {
    return apiAt(this.#publicUrl)(...request);
  }

  async start(): Promise<void> {
    const { environment, folder } = this.#emulators;
    const stack = forkStack();
    this.#stack = stack;
    const { publicUrl } = await stack.ask({ command: "start", settings, prefix, environment, folder });
    if (this.#isBroken) await this.#breakCalls(stack);
    this.#publicUrl = publicUrl;
  }

  /** Let calls fail and the process die, again and again. */
  async break(): Promise<void> {
    this.#isBroken = true;
    if (this.#stack !== undefined) await this.#breakCalls(this.#stack);
  }

  async #breakCalls(stack: ForkedStack): Promise<void> {
    stack.ended.then(() => {
      if (!this.#isBroken) return undefined;
      this.kills++;
      return this.start();
    });
    await stack.ask({ command: "break", faults, kills }).catch(() => undefined);
  }

  /** Replace the process by one in which nothing fails. */
  async heal(): Promise<void> {
    this.#isBroken = false;
    await this.#stack?.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#stack?.stop();
  }
}
