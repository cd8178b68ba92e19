import { describe, expect, it } from "vitest";
import { afterFailure, attemptsLeft, type Health, healthOf, healthy, reasonToSkip } from "./handler.ts";

const now = 1_000_000_000_000;

/** The health of a bot after a number of lost events in a row. */
const failing = (events: number): Health =>
  Array.from({ length: events }).reduce<Health>((health) => afterFailure(health, now), healthy);

const restsOf = (health: Health) => Math.max(0, (health.restsUntil ?? now) - now) / 1000;

describe("a bot", () => {
  it.each([
    [0, 4],
    [1, 3],
    [4, 1],
  ])("whose event has failed %i times gets at most %i more attempts at it", (failed, expected) => {
    expect(attemptsLeft(healthy, failed)).toBe(expected);
  });

  it("that missed the previous event gets at most one attempt at the next one", () => {
    expect(attemptsLeft(failing(1), 0)).toBe(1);
  });

  it("pauses longer after each event that it misses, up to two minutes", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 30].map((events) => restsOf(failing(events)))).toEqual([
      0, 0, 0, 5, 10, 20, 40, 80, 120, 120,
    ]);
  });

  it("gets nothing during a pause, and all events again afterwards", () => {
    const { restsUntil = 0 } = failing(3);
    expect(reasonToSkip(failing(3), now, restsUntil - 1)).toBeDefined();
    expect(reasonToSkip(failing(3), now, restsUntil)).toBeUndefined();
  });

  it("loses events that have waited for more than two minutes", () => {
    expect(reasonToSkip(healthy, now, now + 120_000)).toBeUndefined();
    expect(reasonToSkip(healthy, now, now + 120_001)).toBeDefined();
  });

  it("gets another chance when its service has changed", () => {
    const backlog = { botId: "", lastEventId: "", serviceRevision: 1, ...failing(5) };
    expect(healthOf(backlog, { revision: 1 }).failures).toBe(5);
    expect(healthOf(backlog, { revision: 2 })).toEqual(healthy);
  });
});
