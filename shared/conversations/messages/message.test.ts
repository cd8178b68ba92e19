import { describe, expect, it } from "vitest";
import { type MissingRule, strategyOf } from "./message.ts";

const one = "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60";
const only = { kind: "report-only", users: new Set([one]) };
const but = { kind: "ignore-only", users: new Set([one]) };
const nobody = { kind: "report-only", users: new Set() };
const all = { kind: "report-all" };
const none = { kind: "ignore-all" };

describe("the strategy of an unqualified message", () => {
  const anything: (MissingRule | undefined)[] = [undefined, true, false, [one]];

  it.each([
    [undefined, all],
    [true, all],
    [false, none],
    [[one], only],
  ])("follows report_missing (%o) if nothing else names one", (reportMissing, expected) => {
    expect(strategyOf({ reportMissing: undefined, query: { reportMissing } })).toEqual(expected);
  });

  it.each([
    [true, none],
    [false, all],
    [[one], but],
  ])("follows ignore_missing (%o), whatever report_missing says", (ignoreMissing, expected) => {
    for (const reportMissing of anything)
      expect(strategyOf({ reportMissing: undefined, query: { ignoreMissing, reportMissing } })).toEqual(
        expected,
      );
  });

  it.each([
    [[one], only],
    [[], nobody],
  ])("follows the body (%o), whatever the query says", (reportMissing, expected) => {
    for (const ignoreMissing of anything) {
      expect(strategyOf({ reportMissing, query: { ignoreMissing } })).toEqual(expected);
      expect(strategyOf({ reportMissing, query: { reportMissing: ignoreMissing } })).toEqual(expected);
    }
  });
});
