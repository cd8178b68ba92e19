import { describe, expect, it } from "vitest";
import { answerBytes, isTooLarge, maxAnswerBytes, splitToFit } from "./answer-size.ts";

describe("a list that is split to fit into an answer", () => {
  it("ends before its size within a function's result, where JSON is escaped twice, exceeds the limit", () => {
    const items = Array.from({ length: 100 }, () => ({ text: '"\u0001é' }));
    const { fitting, rest } = splitToFit(items, 1000);
    expect([...fitting, ...rest]).toEqual(items);
    expect(answerBytes(fitting)).toBeLessThanOrEqual(1000);
    expect(answerBytes([...fitting, rest[0]])).toBeGreaterThan(900);
  });

  it("has at least one item, and all when they fit", () => {
    expect(splitToFit(["x".repeat(200), "y"], 100)).toEqual({ fitting: ["x".repeat(200)], rest: ["y"] });
    expect(splitToFit([1, 2, 3])).toEqual({ fitting: [1, 2, 3], rest: [] });
    expect(splitToFit([])).toEqual({ fitting: [], rest: [] });
  });
});

it("bodies that Lambda would not return are detected", () => {
  expect(isTooLarge("x".repeat(maxAnswerBytes))).toBe(false);
  expect(isTooLarge('"'.repeat(3 * 1024 * 1024))).toBe(true);
  expect(isTooLarge("x".repeat(6 * 1024 * 1024))).toBe(true);
});
