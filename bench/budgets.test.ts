import { expect, it } from "vitest";
import { type Budgets, findings, renewed } from "./budgets.ts";

const budgets: Budgets = {
  callsInSeries: { "POST /login": 2 },
  calls: { "POST /login": 3 },
  bundleKilobytes: { sessions: 450 },
  startRatio: { sessions: 1.2 },
};
const measured = (change: Partial<Budgets>): Budgets => ({ ...budgets, ...change });

it("finds nothing if every figure equals its budget", () => {
  expect(findings(budgets, budgets)).toEqual([]);
});

it.each<[string, Partial<Budgets>]>([
  [
    "POST /login: 3 calls of DynamoDB in series exceed the budget of 2",
    { callsInSeries: { "POST /login": 3 } },
  ],
  ["POST /login: 4 calls of AWS before the response exceed the budget of 3", { calls: { "POST /login": 4 } }],
  [
    "POST /login: 2 calls of AWS before the response are less than the budget of 3",
    { calls: { "POST /login": 2 } },
  ],
  ["sessions: 451 KB of bundle exceed the budget of 450", { bundleKilobytes: { sessions: 451 } }],
  ["sessions: 449 KB of bundle are less than the budget of 450", { bundleKilobytes: { sessions: 449 } }],
  [
    "sessions: 1.21 times the start of the floor exceed the budget of 1.2",
    { startRatio: { sessions: 1.21 } },
  ],
])("finds that %s", (finding, change) => {
  expect(findings(budgets, measured(change))).toEqual([finding]);
});

it("finds names without a budget, and budgets of names that do not exist", () => {
  expect(findings(budgets, measured({ calls: { "POST /register": 3 } }))).toEqual([
    "POST /login has a budget for calls, but does not exist",
    "POST /register has no budget for calls",
  ]);
});

it("accepts a faster start", () => {
  expect(findings(budgets, measured({ startRatio: { sessions: 0.9 } }))).toEqual([]);
});

it("sets budgets to the measured figures, and those of starts only after a large change, with headroom", () => {
  const { bundleKilobytes, startRatio } = renewed(
    { ...budgets, startRatio: { sessions: 1.2, users: 1.5, self: 1 } },
    measured({
      bundleKilobytes: { sessions: 440 },
      startRatio: { sessions: 1.1, users: 1, self: 1.1, assets: 1 },
    }),
  );
  expect(bundleKilobytes).toEqual({ sessions: 440 });
  expect(startRatio).toEqual({ sessions: 1.2, users: 1.1, self: 1.25, assets: 1.1 });
});
