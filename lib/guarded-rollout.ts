/** What a guarded deployment does in its stages; `lib/guarded-deployment.ts` has the commands. */
export interface Rollout {
  /** How many waves there are. */
  readonly waves: number;
  /** Deploy what functions need. @returns whether that succeeded */
  deployFoundation(): Promise<boolean>;
  /** Update the functions of a wave, counted from 1. @returns whether CloudFormation made and kept the update */
  deployWave(wave: number): Promise<boolean>;
  /** Have CloudFormation roll the update back that is under way. @throws Error when it is too late for that */
  cancel(): Promise<void>;
  /** Deploy all functions as they were before. @returns whether that succeeded */
  restore(): Promise<boolean>;
  /** @returns what fails; undefined if nothing does. Absent where a stage has no canary */
  readonly runCanary?: (() => Promise<string | undefined>) | undefined;
  /** Wait until the next run of the canary. @returns false when the signal ends it before */
  pause(signal: AbortSignal): Promise<boolean>;
  say(line: string): void;
}

/**
 * Update what functions need, and then functions wave by wave. The canary runs before anything, while each wave is deployed and
 * watched, and after it; when it fails twice in a row, or CloudFormation rolls a wave back because of an alarm, all waves are
 * rolled back.
 *
 * @returns whether all functions have been updated; otherwise all are as before, unless what was said tells something else
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
    // Before a second wave, only the one that failed had been touched.
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

/** Run the canary, once more if it fails: one lost request is not the new version. */
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
