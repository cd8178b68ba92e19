import { describe, expect, it } from "vitest";
import { refuseRevertedDrift } from "./refuse-reverted-drift.ts";

describe("the options of a deployment", () => {
  it.each(["--revert-drift", "--revert-drift=true", "--revertDrift"])(
    "may not revert drift by %s",
    (option) => {
      expect(() => refuseRevertedDrift(["-c", "stage=prod", option])).toThrow(
        `${option} is refused: it may replace what others refer to. npx cdk drift says what has drifted`,
      );
    },
  );

  it("may exclude reverting drift", () => {
    const options = ["--no-revert-drift", "--revert-drift=false", "--require-approval", "never"];
    expect(() => refuseRevertedDrift(options)).not.toThrow();
  });
});
