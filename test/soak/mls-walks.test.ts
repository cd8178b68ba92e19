import fc from "fast-check";
import { expect, it } from "vitest";
import { newRunningService } from "../support/bots.ts";
import { counts, kinds, type Step, Walk } from "../support/mls-walk/walk.ts";
import { serviceData } from "../support/services.ts";

/** Least number of requests, and the seed of the first walk: the same seed repeats the same walks. */
const requests = Number(process.env.MLS_WALK_REQUESTS ?? 200);
const seed = Number(process.env.MLS_WALK_SEED ?? 44);
const stepsOfWalk = 30;
/** Milliseconds after which a failure is reported with the fewest steps found so far. */
const longestShrinking = 30_000;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds, "add", "join", "join"),
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
      await fc.assert(
        fc.asyncProperty(walk, async ({ isMigrating, steps }) => {
          const group = await Walk.start(service, isMigrating);
          for (const [index, one] of steps.entries()) {
            await group.take(one);
            if (index % 5 === 4) await group.look();
          }
          await group.finish();
        }),
        { seed: seed + round, numRuns: 1, interruptAfterTimeLimit: longestShrinking },
      );
    }
  } finally {
    await service.server.stop();
  }
  expect(counts.requests).toBeGreaterThanOrEqual(requests);
});
