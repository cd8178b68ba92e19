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
/** Whether the walks take minutes, so that they report their progress. */
const isLong = requests > 1_000;
/** After that many requests, each of these must have been refused: walks that never try it show nothing. */
const manyRequests = 2_000;
const refusals = [
  "a commit without removals: 400 mls-commit-missing-references",
  "a commit of a former epoch: 409 mls-stale-message",
  "one of two commits at once: 409 mls-stale-message",
  "an external commit: 404 no-conversation",
  "joining a call: 403 mls-subconv-join-parent-missing",
  "beginning a call: 403 mls-subconv-join-parent-missing",
];
/** Milliseconds from a failure until it is reported with the fewest steps found so far. */
const longestShrinking = 30_000;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...kinds,
    ...(["add", "add", "join", "join"] as const),
    ...(["commit without removals", "begin or join call", "begin or join call"] as const),
  ),
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
            if (isLong && failedAt === undefined) console.log(`Failed after ${counts.requests} requests`);
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
  if (isLong)
    console.log(
      [...counts.outcomes]
        .map(([name, count]) => `${name}: ${count}`)
        .toSorted()
        .join("\n"),
    );
  expect(counts.requests).toBeGreaterThanOrEqual(requests);
  if (requests >= manyRequests) expect([...counts.outcomes.keys()]).toEqual(expect.arrayContaining(refusals));
});

async function walkThrough(group: Walk, steps: readonly Step[]): Promise<void> {
  for (const [index, one] of steps.entries()) {
    await takeStep(group, one);
    if (index % 5 === 4) await group.look();
  }
  await group.finish();
}
