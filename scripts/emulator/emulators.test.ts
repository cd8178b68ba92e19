import { describe, expect, it } from "vitest";
import { takenByOne } from "./emulators.ts";

describe("what one emulator alone takes", () => {
  it("includes a type that only the other one skips, and a property that only the other one drops", () => {
    expect(takenByOne()).toContainEqual({ emulator: "full", what: "AWS::SQS::QueuePolicy" });
    expect(takenByOne()).toContainEqual({ emulator: "full", what: "AWS::S3::Bucket LifecycleConfiguration" });
    expect(takenByOne()).toContainEqual({
      emulator: "templates",
      what: "AWS::EC2::SecurityGroupIngress",
    });
  });

  it("leaves out a property whose type the other one skips", () => {
    expect(takenByOne().map(({ what }) => what)).not.toContain("AWS::CloudWatch::Alarm Metrics");
  });
});
