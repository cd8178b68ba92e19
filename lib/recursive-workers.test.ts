import { describe, expect, it } from "vitest";
import type { Worker } from "#shared/platform/manifest.ts";
import { recursiveWorkers } from "./recursive-workers.ts";

const worker = (
  name: string,
  trigger: Worker["trigger"],
  ...sends: NonNullable<Worker["sends"]>
): Pick<Worker, "name" | "trigger" | "sends"> => ({ name, trigger, sends });

describe("the workers that may reach their own queue", () => {
  it("include those that send to it", () => {
    const found = recursiveWorkers([
      worker("erasure", { queue: "erasures" }, "erasures", "mail"),
      worker("mail-delivery", { queue: "mail" }),
    ]);
    expect(found).toEqual(new Set(["erasure"]));
  });

  it("include those that reach it through others, but none that only starts a loop or receives from one", () => {
    const found = recursiveWorkers([
      worker("fan-out", { queue: "events" }, "deliveries"),
      worker("delivery", { queue: "deliveries" }, "native-pushes", "mail"),
      worker("native-push", { queue: "native-pushes" }, "events"),
      worker("team-jobs", { queue: "team-jobs" }, "events"),
      worker("mail-delivery", { queue: "mail" }),
    ]);
    expect(found).toEqual(new Set(["fan-out", "delivery", "native-push"]));
  });

  it("include no worker started by a schedule, because each run begins a chain", () => {
    const found = recursiveWorkers([
      worker("outbox-sweeper", { everySeconds: 60 }, "events"),
      worker("fan-out", { queue: "events" }),
    ]);
    expect(found).toEqual(new Set());
  });
});
