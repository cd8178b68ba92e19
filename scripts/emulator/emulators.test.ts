import { describe, expect, it } from "vitest";
import { takenByAtMostOne } from "./emulators.ts";

describe("what emulators accept", () => {
  it("is attributed to one emulator if only the other one skips the type or drops the property", () => {
    expect(takenByAtMostOne()).toContainEqual({ emulator: "full", what: "AWS::SQS::QueuePolicy" });
    expect(takenByAtMostOne()).toContainEqual({
      emulator: "full",
      what: "AWS::S3::Bucket CorsConfiguration",
    });
    expect(takenByAtMostOne()).toContainEqual({
      emulator: "templates",
      what: "AWS::EC2::SecurityGroupIngress",
    });
  });

  it("is attributed to none if one skips the type and the other one refuses the property", () => {
    const what = "AWS::CloudWatch::Alarm Metrics";
    expect(takenByAtMostOne()).toContainEqual({ what, emulator: undefined });
  });
});
