import { describe, expect, it } from "vitest";
import { InvalidSettingsError, parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { type FeatureName, featureNames } from "./catalogue.ts";
import { defaultFeature, effectiveFeature } from "./effective-feature.ts";
import { noFeatures, type StoredFeature, type TeamFeatures } from "./feature.ts";

const teamId = "0190a5b8-7f6e-4d43-8a51-3c2a9be0d1f4";

function effective<Name extends FeatureName>(
  name: Name,
  stored: StoredFeature = {},
  { settings = {}, ...team }: Partial<TeamFeatures> & { settings?: SettingsInput } = {},
) {
  const features = { ...noFeatures(teamId), features: { [name]: stored }, ...team };
  return effectiveFeature(name, features, parseSettings(settings));
}

describe("the feature of a team", () => {
  it("is the default of the server until something is stored", () => {
    const states = featureNames.map((name) => {
      const { status, lockStatus } = effective(name);
      return `${name} ${status} ${lockStatus}`;
    });
    expect(states).toEqual([
      "legalhold disabled unlocked",
      "sso disabled unlocked",
      "searchVisibility disabled unlocked",
      "searchVisibilityInbound disabled unlocked",
      "validateSAMLemails enabled unlocked",
      "digitalSignatures disabled unlocked",
      "appLock enabled unlocked",
      "fileSharing enabled unlocked",
      "classifiedDomains disabled unlocked",
      "conferenceCalling enabled locked",
      "selfDeletingMessages enabled unlocked",
      "conversationGuestLinks enabled unlocked",
      "sndFactorPasswordChallenge disabled locked",
      "mls disabled unlocked",
      "exposeInvitationURLsToTeamAdmin disabled locked",
      "outlookCalIntegration disabled locked",
      "mlsE2EId disabled locked",
      "mlsMigration disabled locked",
      "enforceFileDownloadLocation disabled locked",
      "limitedEventFanout disabled unlocked",
      "domainRegistration disabled locked",
      "channels disabled locked",
      "cells disabled locked",
    ]);
  });

  it("has the default of its configuration", () => {
    const configs = featureNames
      .map((name) => [name, effective(name).config])
      .filter(([, config]) => config !== undefined);
    expect(Object.fromEntries(configs)).toEqual({
      appLock: { enforceAppLock: false, inactivityTimeoutSecs: 60 },
      classifiedDomains: { domains: [] },
      conferenceCalling: { useSFTForOneToOneCalls: false },
      selfDeletingMessages: { enforcedTimeoutSeconds: 0 },
      mls: {
        protocolToggleUsers: [],
        defaultProtocol: "proteus",
        supportedProtocols: ["proteus", "mls"],
        allowedCipherSuites: [1],
        defaultCipherSuite: 1,
      },
      mlsE2EId: { verificationExpiration: 86_400, useProxyOnMobile: false },
      mlsMigration: {},
      enforceFileDownloadLocation: {},
      channels: { allowed_to_create_channels: "team-members", allowed_to_open_channels: "team-members" },
    });
  });

  it("merges stored fields over the default", () => {
    expect(effective("fileSharing", { lockStatus: "unlocked" })).toMatchObject({ status: "enabled" });
    expect(effective("cells", { status: "enabled", lockStatus: "unlocked" })).toMatchObject({
      status: "enabled",
      lockStatus: "unlocked",
    });
    expect(
      effective("mlsE2EId", {
        status: "enabled",
        lockStatus: "unlocked",
        config: { verificationExpiration: 60 },
      }).config,
    ).toEqual({ verificationExpiration: 60, useProxyOnMobile: false });
  });

  it("is the default while it is locked, even if something else is stored", () => {
    const stored = {
      status: "disabled",
      lockStatus: "locked",
      config: { enforceAppLock: true, inactivityTimeoutSecs: 30 },
    } as const;
    expect(effective("appLock", stored)).toEqual({
      status: "enabled",
      lockStatus: "locked",
      config: { enforceAppLock: false, inactivityTimeoutSecs: 60 },
    });
    expect(effective("appLock", { ...stored, lockStatus: "unlocked" })).toEqual({
      ...stored,
      lockStatus: "unlocked",
    });
  });

  it("takes status, lock and configuration from the settings", () => {
    const config = { enforceAppLock: true, inactivityTimeoutSecs: 30 };
    const settings: SettingsInput = {
      appLock: { defaults: { status: "disabled", lockStatus: "locked", config } },
      sso: "enabled-by-default",
      teamSearchVisibility: "enabled-by-default",
      validateSAMLEmails: { defaults: { status: "disabled" } },
      classifiedDomains: { status: "enabled", config: { domains: ["example.com"] } },
    };
    expect(effective("appLock", {}, { settings })).toEqual({
      status: "disabled",
      lockStatus: "locked",
      config,
    });
    expect(effective("sso", {}, { settings }).status).toBe("enabled");
    expect(effective("searchVisibility", {}, { settings }).status).toBe("enabled");
    expect(effective("validateSAMLemails", {}, { settings }).status).toBe("disabled");
    expect(effective("classifiedDomains", { status: "disabled" }, { settings })).toEqual({
      status: "enabled",
      lockStatus: "unlocked",
      config: { domains: ["example.com"] },
    });
  });

  it("is enabled for unlocked conference calls unless they are switched off", () => {
    const settings: SettingsInput = { conferenceCalling: { defaults: { status: "disabled" } } };
    expect(effective("conferenceCalling", {}, { settings }).status).toBe("disabled");
    expect(effective("conferenceCalling", { lockStatus: "unlocked" }, { settings }).status).toBe("enabled");
    expect(
      effective("conferenceCalling", { lockStatus: "unlocked", status: "disabled" }, { settings }).status,
    ).toBe("disabled");
  });

  it("exposes links of invitations only to teams on the list", () => {
    const settings: SettingsInput = { exposeInvitationURLsTeamAllowlist: [teamId.toUpperCase()] };
    const name = "exposeInvitationURLsToTeamAdmin";
    const enabled = { status: "enabled", lockStatus: "locked" } as const;
    expect(effective(name, enabled)).toMatchObject({ status: "disabled", lockStatus: "locked" });
    expect(effective(name, enabled, { settings })).toMatchObject({
      status: "enabled",
      lockStatus: "unlocked",
    });
    expect(effective(name, {}, { settings })).toMatchObject({ status: "disabled", lockStatus: "unlocked" });
  });

  it.each([
    ["disabled-permanently", true, "enabled", "disabled"],
    ["disabled-by-default", true, undefined, "disabled"],
    ["disabled-by-default", false, "enabled", "enabled"],
    ["whitelist-teams-and-implicit-consent", false, "enabled", "disabled"],
    ["whitelist-teams-and-implicit-consent", true, "disabled", "enabled"],
  ] as const)(
    "has legal hold by the setting %s, if listed: %s, with %s stored: %s",
    (legalhold, isListed, status, result) => {
      const options = { settings: { legalhold }, isLegalHoldWhitelisted: isListed };
      expect(effective("legalhold", { status }, options).status).toBe(result);
    },
  );
});

describe("settings of features", () => {
  it.each<[string, SettingsInput]>([
    [
      "mls.defaults.config.supportedProtocols",
      {
        mls: {
          defaults: {
            config: {
              protocolToggleUsers: [],
              defaultProtocol: "mls",
              supportedProtocols: ["proteus"],
              allowedCipherSuites: [1],
              defaultCipherSuite: 1,
            },
          },
        },
      },
    ],
    ["appLock.defaults.config.inactivityTimeoutSecs", { appLock: { defaults: { config: {} as never } } }],
    ["cells.defaults.status", { cells: { defaults: { status: "on" as never } } }],
    ["legalhold", { legalhold: "enabled" as never }],
  ])("name the key %s when it is wrong", (key, settings) => {
    expect(() => parseSettings(settings)).toThrow(InvalidSettingsError);
    expect(() => parseSettings(settings)).toThrow(key);
  });

  it("may be parsed a second time", () => {
    const settings = parseSettings({ validateSAMLEmails: {} });
    expect(parseSettings(settings)).toEqual(settings);
    expect(defaultFeature("validateSAMLemails", settings).status).toBe("enabled");
  });
});
