import { describe, expect, it } from "vitest";
import { continueLineage } from "./lineage.ts";

const eventOf = (...headers: (string | undefined)[]) => ({
  Records: headers.map((AWSTraceHeader) => ({ attributes: { ...(AWSTraceHeader && { AWSTraceHeader }) } })),
});

describe("the lineage of messages", () => {
  it("begins with the first function of a chain, for any caller", () => {
    for (const event of [
      {},
      undefined,
      eventOf(undefined),
      eventOf("Root=1-5759e988-bd862e3fe1be46a994272793"),
    ])
      expect(continueLineage("sessions", event)).toBe("Lineage=sessions:1");
  });

  it("counts the passes through each function, and takes the longest chain of a batch", () => {
    expect(
      continueLineage(
        "fan-out",
        eventOf("Root=1-5759e988;Lineage=fan-out:2|messages:1", "Lineage=fan-out:7", undefined),
      ),
    ).toBe("Lineage=fan-out:8|messages:1");
  });

  it("ends at the 17th pass through a function that does not send to itself", () => {
    const pass = (functionName: string, passes: number) =>
      continueLineage(functionName, eventOf(`Lineage=${functionName}:${passes}`));
    expect(pass("mail-delivery", 15)).toBe("Lineage=mail-delivery:16");
    expect(() => pass("mail-delivery", 16)).toThrow("mail-delivery was called 16 times");
    expect(pass("team-jobs", 16)).toBe("Lineage=team-jobs:17");
  });

  it("does not end at another function of the chain", () => {
    expect(continueLineage("mail-delivery", eventOf("Lineage=team-jobs:40"))).toBe(
      "Lineage=team-jobs:40|mail-delivery:1",
    );
  });
});
