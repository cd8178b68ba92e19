import { describe, expect, it } from "vitest";
import { type Rollout, rollOut } from "#lib/guarded-rollout.ts";

/** The course of a deployment: how many waves CloudFormation keeps, and the findings of the canary, run by run. */
interface Course {
  readonly laysFoundation?: boolean;
  readonly keepsWaves?: number;
  readonly canary?: readonly ("ok" | "fails")[] | "absent";
  /** Runs of the canary while a wave is deployed. */
  readonly runsMeanwhile?: number;
  readonly cancel?: "works" | "too late";
  readonly restores?: boolean;
}

async function follow({
  laysFoundation = true,
  keepsWaves = 3,
  canary = [],
  runsMeanwhile = 0,
  cancel = "works",
  restores = true,
}: Course) {
  const done: string[] = [];
  const said: string[] = [];
  const outcomes = canary === "absent" ? [] : [...canary];
  let isCancelled = false;
  let left = 0;
  let release = () => {};
  const rollout: Rollout = {
    waves: 3,
    async deployFoundation() {
      done.push("foundation");
      return laysFoundation;
    },
    async deployWave(wave) {
      done.push(`wave ${wave}`);
      left = runsMeanwhile;
      // Waits until the canary has run as often as it should, or the update was cancelled.
      if (left > 0) await new Promise<void>((resolve) => (release = resolve));
      return wave <= keepsWaves && !isCancelled;
    },
    async cancel() {
      done.push("cancel");
      if (cancel === "too late") {
        release();
        throw new Error("CancelUpdateStack cannot be called now");
      }
      isCancelled = true;
      release();
    },
    async restore() {
      done.push("restore");
      return restores;
    },
    runCanary:
      canary === "absent"
        ? undefined
        : async () => {
            done.push("canary");
            return outcomes.shift() === "fails" ? "message: late" : undefined;
          },
    async pause(signal) {
      if (left-- > 0) return true;
      release();
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return false;
    },
    say: (line) => said.push(line),
  };
  return { isUpdated: await rollOut(rollout), done, said };
}

describe("a guarded deployment", () => {
  it("deploys wave by wave, with the canary before, during and after each", async () => {
    const { isUpdated, done } = await follow({ runsMeanwhile: 1 });
    expect(isUpdated).toBe(true);
    const waves = [1, 2, 3].flatMap((wave) => [`wave ${wave}`, "canary", "canary"]);
    expect(done).toEqual(["canary", "foundation", ...waves]);
  });

  it("deploys nothing while the canary fails", async () => {
    expect(await follow({ canary: ["fails", "fails"] })).toMatchObject({
      isUpdated: false,
      done: ["canary", "canary"],
      said: ["The canary fails before anything is deployed: message: late"],
    });
  });

  it("updates no function if the resources that functions need cannot be deployed", async () => {
    const { isUpdated, done } = await follow({ laysFoundation: false });
    expect(isUpdated).toBe(false);
    expect(done).toEqual(["canary", "foundation"]);
  });

  it("tolerates one failure", async () => {
    expect(await follow({ canary: ["fails", "ok"] })).toMatchObject({ isUpdated: true });
  });

  it("cancels the first wave when the canary fails meanwhile, and has nothing else to undo", async () => {
    const { isUpdated, done } = await follow({ canary: ["ok", "fails", "fails"], runsMeanwhile: 1 });
    expect(isUpdated).toBe(false);
    expect(done).toEqual(["canary", "foundation", "wave 1", "canary", "canary", "cancel"]);
  });

  it("goes back to the version before when a later wave is rolled back", async () => {
    const { isUpdated, done, said } = await follow({ keepsWaves: 1 });
    expect(isUpdated).toBe(false);
    expect(done).toEqual(["canary", "foundation", "wave 1", "canary", "wave 2", "restore"]);
    expect(said).toContain("Wave 2 has been rolled back, or has not begun: see above.");
  });

  it("goes back when the canary fails after a wave", async () => {
    const { isUpdated, done } = await follow({ canary: ["ok", "fails", "fails"] });
    expect(isUpdated).toBe(false);
    expect(done).toEqual(["canary", "foundation", "wave 1", "canary", "canary", "restore"]);
  });

  it("goes back when it is too late to cancel", async () => {
    const { isUpdated, done } = await follow({
      canary: ["ok", "fails", "fails"],
      runsMeanwhile: 1,
      cancel: "too late",
    });
    expect(isUpdated).toBe(false);
    expect(done).toEqual(["canary", "foundation", "wave 1", "canary", "canary", "cancel", "restore"]);
  });

  it("says what to do when going back fails", async () => {
    const { said } = await follow({ keepsWaves: 1, restores: false });
    expect(said.at(-1)).toMatch(/^That has failed: deploy the version before/);
  });

  it("relies on the alarms alone where there is no canary", async () => {
    expect(await follow({ canary: "absent" })).toMatchObject({
      isUpdated: true,
      done: ["foundation", "wave 1", "wave 2", "wave 3"],
    });
  });
});
