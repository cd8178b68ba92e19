import { expect, it } from "vitest";
import { parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { noFeatures, type StoredFeature } from "./feature.ts";
import { mlsOfGuest } from "./mls-of-guest.ts";

const teamId = "0190a5b8-7f6e-4d43-8a51-3c2a9be0d1f4";
const config = {
  protocolToggleUsers: [teamId],
  defaultProtocol: "mls" as const,
  supportedProtocols: ["mls" as const],
  allowedCipherSuites: [2],
  defaultCipherSuite: 2,
};
const enabled: StoredFeature = { status: "enabled", config };

const mlsOf = (stored: readonly StoredFeature[], settings: SettingsInput = {}) =>
  mlsOfGuest(
    stored.map((mls) => ({ ...noFeatures(teamId), features: { mls } })),
    parseSettings({ setEnableMLS: true, ...settings }),
  );

it("the MLS of a guest is that of a team with MLS, without its members' ids", () => {
  expect(mlsOf([{}, enabled])).toEqual({
    status: "enabled",
    lockStatus: "unlocked",
    config: { ...config, protocolToggleUsers: [] },
  });
});

it("the MLS of a guest is the default without a team that has MLS", () => {
  for (const stored of [[], [{}], [{ status: "disabled", config }]] as const)
    expect(mlsOf(stored)).toMatchObject({ status: "disabled", config: { defaultProtocol: "proteus" } });
});

it("the MLS of a guest is the default where users without a team have MLS, or nobody has", () => {
  const defaults = { status: "enabled" } as const;
  expect(mlsOf([enabled], { mls: { defaults } })).toMatchObject({
    status: "enabled",
    config: { defaultProtocol: "proteus" },
  });
  expect(mlsOf([enabled], { setEnableMLS: false })).toMatchObject({ status: "disabled" });
});
