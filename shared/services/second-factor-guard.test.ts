import { expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { noFeatures, type TeamFeatures } from "#shared/teams/features/feature.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { noSecondFactorByDefault, refuseSecondFactorOf } from "./second-factor-guard.ts";

const teamId = "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a01";
const feature = { status: "enabled", lockStatus: "unlocked" } as const;
const strict: TeamFeatures = { ...noFeatures(teamId), features: { sndFactorPasswordChallenge: feature } };
const settingsWith = (status: "enabled" | "disabled") =>
  parseSettings({ sndFactorPasswordChallenge: { defaults: { status, lockStatus: "unlocked" } } });
const guard = (team: TeamFeatures, status: "enabled" | "disabled", owner: { teamId?: string } | undefined) =>
  refuseSecondFactorOf(
    { settings: settingsWith(status), features: { get: async () => team } as unknown as FeatureStore },
    owner,
  );
const refusal = expect.objectContaining({ error: "second-factor-required" });

it("the guard refuses members of teams that require a second factor, and nobody else", async () => {
  await expect(guard(strict, "disabled", { teamId })).rejects.toThrow(refusal);
  await guard(noFeatures(teamId), "disabled", { teamId });
  await guard(strict, "disabled", {});
  await guard(strict, "disabled", undefined);
});

it("the guard uses the server's default for users without a team", async () => {
  await expect(guard(strict, "enabled", {})).rejects.toThrow(refusal);
  await expect(guard(strict, "enabled", undefined)).rejects.toThrow(refusal);
  const check = (status: "enabled" | "disabled") => () =>
    noSecondFactorByDefault.check({ params: undefined, settings: settingsWith(status) });
  expect(check("enabled")).toThrow(refusal);
  expect(check("disabled")).not.toThrow();
});
