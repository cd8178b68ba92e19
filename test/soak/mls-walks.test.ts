import fc from "fast-check";
import { expect, it } from "vitest";
import { newRunningService } from "../support/bots.ts";
import { Walk } from "../support/mls-walk/walk.ts";
import { kinds, type Step, takeStep } from "../support/mls-walk/walk-acts.ts";
import { counts } from "../support/mls-walk/walk-requests.ts";
import { serviceData } from "../support/services.ts";

/** Least number of requests, and the seed of the first walk: the same seed repeats the same walks. */
const requests = Number(process.env.MLS_WALK_REQUESTS ?? 200);
const seed = Number(process.env.MLS_WALK_SEED ?? 44);
const stepsOfWalk = 30;
/** Whether somebody waits for minutes, and wants to see it go on. */
const isLong = requests > 1_000;
/** Milliseconds from a failure until it is reported with the fewest steps found so far. */
const longestShrinking = 30_000;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds, "add", "add", "join", "join", "commit without removals"),
  actor: fc.nat(),
  target: fc.nat(),
  variant: fc.nat(),
});
const walk = fc.record({
  isMigrating: fc.boolean(),
  steps: fc.array(step, { minLength: stepsOfWalk / 2, maxLength: stepsOfWalk, size: "max" }),
});

it(`users of MLS groups can do what they may, and are told nothing else (MLS_WALK_SEED=${seed})`, {
  timeout: 7_200_000,
  retry: 0,
}, async () => {
  const service = await newRunningService(await serviceData().newProvider());
  try {
    for (let round = 0; counts.requests < requests; round++) {
      let failedAt: number | undefined;
      await fc.assert(
        fc.asyncProperty(walk, async ({ isMigrating, steps }) => {
          // A limit of the library's would cut off long walks that have not failed.
          if (failedAt !== undefined && Date.now() > failedAt + longestShrinking) return;
          try {
            await walkThrough(await Walk.start(service, isMigrating), steps);
          } catch (error) {
            failedAt ??= Date.now();
            throw error;
          }
        }),
        { seed: seed + round, numRuns: 1 },
      );
      if (isLong) console.log(`seed ${seed + round}: ${counts.steps} steps, ${counts.requests} requests`);
    }
  } finally {
    await service.server.stop();
  }
  expect(counts.requests).toBeGreaterThanOrEqual(requests);
});

async function walkThrough(group: Walk, steps: readonly Step[]): Promise<void> {
  for (const [index, one] of steps.entries()) {
    await takeStep(group, one);
    if (index % 5 === 4) await group.look();
  }
  await group.finish();
}
