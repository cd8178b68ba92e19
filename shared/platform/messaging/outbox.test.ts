import { describe, expect, it } from "vitest";
import { createLog } from "../log.ts";
import { Outbox } from "./outbox.ts";

describe("an outbox", () => {
  const outbox = new Outbox({
    config: {
      tableName: (name) => name,
      queueUrl: (name) => `https://sqs.eu-central-1.amazonaws.com/1/${name}`,
    },
    clock: Date.now,
    log: createLog("test", "SILENT"),
  });

  it("delays messages by no more than the alarm of their queue allows for", () => {
    expect(() => outbox.message("erasures", {}, { delaySeconds: 60 })).not.toThrow();
    expect(() => outbox.message("erasures", {}, { delaySeconds: 61 })).toThrow(
      "A delay of 61 seconds: the queue erasures has at most 60",
    );
    expect(() => outbox.message("mail", {}, { delaySeconds: 1 })).toThrow(RangeError);
  });
});
