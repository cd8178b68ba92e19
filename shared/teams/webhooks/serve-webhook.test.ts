import { expect, it } from "vitest";
import { afterFailure } from "./serve-webhook.ts";

const now = Date.UTC(2026, 10, 27);
const day = 86_400_000;
const hour = 3_600_000;
const pauseAfter = (failures: number) =>
  (afterFailure({ failures, failingSince: now - 1000, waitingSince: now - 1000 }, now).nextAttemptAt - now) /
  60_000;

it("a webhook pauses longer with each failure, up to an hour", () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 100].map(pauseAfter)).toEqual([0.5, 1, 2, 5, 10, 20, 30, 60, 60, 60]);
});

it("a webhook records when the failures began", () => {
  expect(afterFailure({ failures: 0, waitingSince: 0 }, now)).toMatchObject({
    failures: 1,
    failingSince: now,
    isHopeless: false,
  });
  expect(afterFailure({ failures: 4, failingSince: 5, waitingSince: now }, now)).toMatchObject({
    failures: 5,
    failingSince: 5,
  });
});

it.each([
  [7 * day - 1, day, false],
  [7 * day, day, true],
  [30 * day, hour, true],
  [30 * day, hour - 1, false],
])(
  "a webhook is given up after a week, if the event has waited for an hour: %d and %d ms",
  (failing, waiting, isHopeless) => {
    const times = { failingSince: now - failing, waitingSince: now - waiting };
    expect(afterFailure({ failures: 99, ...times }, now).isHopeless).toBe(isHopeless);
  },
);
