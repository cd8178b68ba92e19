/** The steps of a guarded deployment; `lib/guarded-deployment.ts` has the commands. */
export interface Rollout {
  /** Number of waves. */
  readonly waves: number;
  /**
   * Deploy the stacks that functions need.
   * @returns whether that succeeded
   */
  deployFoundation(): Promise<boolean>;
  /** Update the functions of a wave, counted from 1. @returns whether CloudFormation made and kept the update */
  deployWave(wave: number): Promise<boolean>;
  /**
   * Have CloudFormation cancel the running update and roll it back.
   * @throws Error when it is too late for that
   */
  cancel(): Promise<void>;
  /** Deploy all functions as they were before. @returns whether that succeeded */
  restore(): Promise<boolean>;
  /**
   * Absent in a stage without a canary.
   * @returns what fails; undefined if nothing does
   */
  readonly runCanary?: (() => Promise<string | undefined>) | undefined;
  /**
   * Wait until the next run of the canary.
   * @returns false if the signal ended the wait
   */
  pause(signal: AbortSignal): Promise<boolean>;
  say(line: string): void;
}

/**
 * Update the stacks that functions need, then the functions, wave by wave. The canary runs before everything else,
 * while each wave is deployed and watched, and after it. If it fails twice in a row, or CloudFormation rolls a wave
 * back because of an alarm, all waves are rolled back.
 *
 * @returns whether all functions have been updated; otherwise the previous version is running, unless a message says
 * that rolling back failed
 */
export async function rollOut(rollout: Rollout): Promise<boolean> {
  const { waves, say } = rollout;
  const failure = await failureOf(rollout);
  if (failure !== undefined) {
    say(`The canary fails before anything is deployed: ${failure}`);
    return false;
  }
  if (!(await rollout.deployFoundation())) return false;
  for (let wave = 1; wave <= waves; wave++) {
    say(`Wave ${wave} of ${waves}`);
    const ended = new AbortController();
    const deploying = rollout.deployWave(wave).finally(() => ended.abort());
    const [isKept, seen] = await Promise.all([deploying, watch(rollout, ended.signal)]);
    const found = seen ?? (isKept ? await failureOf(rollout) : undefined);
    if (found !== undefined && seen === undefined) say(`The canary fails: ${found}`);
    if (isKept && found === undefined) continue;
    if (!isKept) say(`Wave ${wave} has been rolled back, or has not begun: see above.`);
    // If the first wave failed, no other functions have changed.
    if (wave > 1 || isKept) await restore(rollout);
    return false;
  }
  return true;
}

async function restore({ restore: deployBefore, say }: Rollout): Promise<void> {
  say("All functions are deployed again as they were before.");
  if (!(await deployBefore()))
    say("That has failed: deploy the version before with npm run deploy, or this one once it is corrected.");
}

/** Run the canary, and once more if it fails: one lost request does not mean that the new version is broken. */
async function failureOf({ runCanary }: Rollout): Promise<string | undefined> {
  return (await runCanary?.()) === undefined ? undefined : runCanary?.();
}

/** Run the canary until the signal, and cancel the update when it fails. @returns what failed */
async function watch(rollout: Rollout, signal: AbortSignal): Promise<string | undefined> {
  if (rollout.runCanary === undefined) return undefined;
  while (await rollout.pause(signal)) {
    const failure = await failureOf(rollout);
    if (failure === undefined) continue;
    rollout.say(`The canary fails (${failure}): the update is cancelled.`);
    // Too late to cancel: then the functions are deployed as before.
    await rollout.cancel().catch((error: Error) => rollout.say(error.message));
    return failure;
  }
  return undefined;
}
