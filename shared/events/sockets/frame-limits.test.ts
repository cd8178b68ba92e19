import { describe, expect, it } from "vitest";
import { FrameBudget, type FrameKind, frameLimits } from "./frame-limits.ts";

const start = Date.UTC(2026, 0, 1);

/** How many frames of a steady stream a budget allows. */
function allowed(budget: FrameBudget, kind: FrameKind, count: number, every = 0): number {
  const times = Array.from({ length: count }, (_, index) => start + index * every);
  return times.filter((at) => budget.take(kind, at)).length;
}

describe.each(Object.entries(frameLimits) as [FrameKind, { burst: number; perSecond: number }][])(
  "a budget of %s",
  (kind, { burst, perSecond }) => {
    it("allows a burst, and nothing more at the same time", () => {
      expect(allowed(new FrameBudget(start), kind, 2 * burst)).toBe(burst);
    });

    it("allows the sustained rate indefinitely", () => {
      const count = 10 * burst;
      expect(allowed(new FrameBudget(start), kind, count, 1000 / perSecond)).toBe(count);
    });

    it("runs out at twice that rate", () => {
      expect(allowed(new FrameBudget(start), kind, 4 * burst, 500 / perSecond)).toBeLessThan(3 * burst);
    });

    it("is full again after a while, not before", () => {
      const budget = new FrameBudget(start);
      expect(budget.isFull(start)).toBe(true);
      budget.take(kind, start);
      expect(budget.isFull(start)).toBe(false);
      expect(budget.isFull(start + 1000)).toBe(true);
    });
  },
);

it("a budget counts pings apart from acknowledgements", () => {
  const budget = new FrameBudget(start);
  allowed(budget, "acknowledgements", 5000);
  expect(budget.take("pings", start)).toBe(true);
});

it("a budget is not refilled by older frames that are counted after newer ones", () => {
  const budget = new FrameBudget(start);
  for (let count = 0; count < frameLimits.pings.burst; count++) budget.take("pings", start + 5000);
  expect(budget.take("pings", start)).toBe(false);
  expect(budget.take("pings", start + 5000)).toBe(false);
});
