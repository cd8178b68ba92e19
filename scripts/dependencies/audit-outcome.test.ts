import { describe, expect, it } from "vitest";
import { auditOutcomeOf } from "./audit-outcome.ts";

const outcomeOf = (report: object) => auditOutcomeOf(JSON.stringify(report));
const vulnerability = (name: string, severity: string, via: unknown[]) => ({
  [name]: { name, severity, via },
});

describe("the outcome of an audit", () => {
  it("is a failure for a high or critical finding, and names it", () => {
    const advisory = { title: "Reads any file", url: "https://example.com/1" };
    const vulnerabilities = {
      ...vulnerability("reader", "critical", [advisory]),
      ...vulnerability("shelf", "high", ["reader"]),
      ...vulnerability("lamp", "moderate", [advisory]),
    };
    expect(outcomeOf({ vulnerabilities })).toEqual({
      outcome: "vulnerable",
      findings: ["critical: reader: Reads any file (https://example.com/1)", "high: shelf: reader"],
    });
  });

  it("is a success for lesser findings, and counts them", () => {
    const vulnerabilities = vulnerability("lamp", "moderate", []);
    expect(outcomeOf({ vulnerabilities })).toEqual({ outcome: "passed", minor: 1 });
    expect(outcomeOf({ vulnerabilities: {} })).toEqual({ outcome: "passed", minor: 0 });
  });

  it.each([404, 405, 410, 501])(
    "is skipped if the registry answers %i, as one without a list does",
    (statusCode) => {
      expect(outcomeOf({ statusCode, message: "No" })).toEqual({
        outcome: "skipped",
        reason: "the registry offers no audit",
      });
    },
  );

  it("is skipped, with the reason, if the registry fails or cannot be reached", () => {
    expect(outcomeOf({ statusCode: 503, message: "503 Service Unavailable", error: {} })).toEqual({
      outcome: "skipped",
      reason: "the registry gave no list: 503 Service Unavailable",
    });
    expect(outcomeOf({ message: "connect ECONNREFUSED", error: {} })).toMatchObject({ outcome: "skipped" });
  });

  it("is a failure if the project is at fault, or npm prints no report", () => {
    expect(outcomeOf({ error: { code: "ENOLOCK", summary: "No lock file" } })).toEqual({
      outcome: "failed",
      reason: "ENOLOCK: No lock file",
    });
    for (const text of ["", "npm broke", "null", "[]"])
      expect(auditOutcomeOf(text)).toMatchObject({ outcome: "failed" });
  });
});
