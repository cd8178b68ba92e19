/**
 * The harness for kills: a process dies by SIGKILL before or after a certain call of AWS, and then the same data is worked
 * on by another one.
 *
 * - `dyingStack` starts a second process on the data of a test's stack, which carries on when it has died. A request to the
 *   second one gets no answer.
 * - `dieDuring` does the same for one task. In `npm test`, no process is killed: the function merely never continues, which
 *   finds the same faults, except in state that a process shares. `npm run test:soak` always kills.
 * - `dieRepeatedly` lets one process after the other die while some work goes on.
 * - `dyingRestore` does the same for the restore of tables.
 * - `startOwnRunner` (`own-runner.ts`) takes a death for `npm start`; started again on the same folder, it goes on with what
 *   the first process had in its queues.
 * - A `MortalRunner` (`mortal-runner.ts`) is killed again and again at random moments, under load.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { RestoreOptions } from "#lib/restore/restore.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { apiAt } from "../api.ts";
import { type Calls, isOneOf } from "../calls.ts";
import { injectFaults } from "../faults.ts";
import type { OwnStack } from "../own-stack.ts";
import type { Snapshot } from "../point-in-time.ts";
import { sharedStack } from "../shared-stack.ts";
import { isSoak } from "../soak.ts";
import type { Apis } from "../users.ts";

/** Calls that count only after another one. */
export interface LaterCalls extends Calls {
  readonly since?: Calls;
}

/** The call at which a process dies. */
export interface Death extends LaterCalls {
  /** Whether the call takes effect before. */
  readonly isAfterwards?: boolean;
  /** Which of these calls it is (1), apart from refused ones. */
  readonly number?: number;
  /** Calls that have no effect and get no answer. */
  readonly stuck?: readonly LaterCalls[];
}

/** Options of a process that runs a stack. */
export interface StackPlan {
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly prefix: string;
  readonly settings: SettingsInput;
}

/** Options of a process that restores tables. */
export interface RestorePlan {
  readonly options: Omit<RestoreOptions, "print">;
  readonly snapshot: Snapshot;
}

/** Environment of a process that dies at a call. */
export const dyingAt = (death: Death) => ({ DIE_AT: JSON.stringify(death) });

function forkDying(module: string, death: Death, environment: Record<string, string> = {}) {
  const child = fork(new URL(module, import.meta.url), {
    env: { ...process.env, ...environment, ...dyingAt(death), LOG_LEVEL: "CRITICAL" },
    execArgv: [],
    serialization: "advanced",
  });
  const ended = once(child, "exit").then(([code, signal]): string | number => signal ?? code);
  return { child, ended };
}

const dying = new Set<ReturnType<typeof fork>>();

/** Kill the processes that have not died although a test file started them. */
export function killDying(): void {
  for (const child of dying) child.kill("SIGKILL");
}

/** Start another process on the data of a stack. It ends with the test file, if it has not died. */
export async function dyingStack({ prefix, data }: Pick<OwnStack, "prefix" | "data">, death: Death) {
  const { environment, folder } = sharedStack();
  const plan: StackPlan = {
    environment,
    folder: mkdtempSync(join(folder, `${prefix}-`)),
    prefix,
    settings: data?.settings ?? {},
  };
  const { child, ended } = forkDying("dying-stack.ts", death, { STACK: JSON.stringify(plan) });
  const kill = () => child.kill("SIGKILL");
  dying.add(child);
  child.on("exit", () => dying.delete(child));
  const [{ publicUrl, internalUrl }] = await once(child, "message");
  return { publicApi: apiAt(publicUrl), internalApi: apiAt(internalUrl), ended, kill };
}

/**
 * Let processes of a stack live one after another while some work is done by them, each until it dies at a call, or at the
 * latest after some time.
 * @returns what the work returns, and how many have been killed
 */
export async function dieRepeatedly<Result>(
  stack: Pick<OwnStack, "prefix" | "data">,
  nextDeath: () => Death,
  work: (apis: Apis) => Promise<Result>,
  { longestLifeMilliseconds }: { longestLifeMilliseconds: number },
): Promise<{ result: Result; kills: number }> {
  let kills = 0;
  let isDone = false;
  let living = dyingStack(stack, nextDeath());
  const working = work({
    publicApi: async (...request) => (await living).publicApi(...request),
    internalApi: async (...request) => (await living).internalApi(...request),
    data: stack.data,
  }).finally(() => {
    isDone = true;
  });
  const settled = working.catch(() => undefined);
  while (!isDone) {
    const { ended, kill } = await living;
    const life = delay(Math.random() * longestLifeMilliseconds, undefined, { ref: false });
    await Promise.race([life, ended, settled]);
    kill();
    await ended;
    kills++;
    if (!isDone) living = dyingStack(stack, nextDeath());
  }
  return { result: await working, kills };
}

/** Restore tables in another process. @returns what has ended it */
export function dyingRestore(plan: RestorePlan, death: Death): Promise<string | number> {
  const { child, ended } = forkDying("dying-restore.ts", death);
  child.send(plan);
  return ended;
}

/**
 * Let the function or process that carries out a task die at a call.
 * @param task may fail for lack of an answer; `hasDied` tells it how long to go on
 */
export async function dieDuring(
  stack: OwnStack,
  death: Death,
  task: (apis: Apis, hasDied: () => boolean) => Promise<unknown>,
  { isReal = isSoak } = {},
): Promise<void> {
  let isDead = false;
  const run = (apis: Apis) => task(apis, () => isDead).catch(() => undefined);
  if (isReal) {
    const dying = await dyingStack(stack, death);
    dying.ended.then(() => {
      isDead = true;
    });
    await run({ ...stack, ...dying });
    expect(await dying.ended).toBe("SIGKILL");
    return;
  }
  const { isAfterwards, number = 1, ...calls } = death;
  let count = 0;
  const end = injectFaults((call) => {
    if (isDead || !isOneOf(calls, call) || ++count !== number) return undefined;
    isDead = true;
    return isAfterwards ? "dies-after" : "dies-before";
  });
  await run(stack).finally(end);
  expect(isDead).toBe(true);
}
