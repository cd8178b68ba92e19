import { describe, expect, it } from "vitest";
import { InvalidStageError, parseStage, readStage } from "#lib/stage.ts";
import { InvalidSettingsError } from "#shared/settings.ts";

const smallest = {
  isProtected: false,
  logRetentionDays: 7,
  memoryMegabytes: 512,
  workerConcurrency: 2,
  throttle: { requestsPerSecond: 10, burst: 10 },
};

describe("readStage", () => {
  it("knows dev, which can be thrown away, and prod, which cannot", () => {
    expect(readStage("dev")).toMatchObject({ name: "dev", isProtected: false });
    expect(readStage("prod")).toMatchObject({ name: "prod", isProtected: true });
  });

  it("names the file of a stage that does not exist", () => {
    expect(() => readStage("nowhere")).toThrow(
      "There is no stage nowhere: stages/nowhere.json cannot be read",
    );
  });

  it("reads no file outside the folder of the stages", () => {
    expect(() => readStage("../package")).toThrow(InvalidStageError);
  });
});

describe("parseStage", () => {
  it("fills in defaults, those of the settings too", () => {
    const stage = parseStage("test", smallest);
    expect(stage).toMatchObject({ tracing: false, logLevel: "INFO", emailIdentity: "domain" });
    expect(stage.settings.setDefaultUserLocale).toBeUndefined();
    expect(stage.settings.setUserCookieLimit).toBe(32);
  });

  it("names the key of a bad value", () => {
    expect(() => parseStage("test", { ...smallest, throttle: { requestsPerSecond: 0, burst: 1 } })).toThrow(
      /throttle\.requestsPerSecond/,
    );
  });

  it("names a key that does not exist", () => {
    expect(() => parseStage("test", { ...smallest, alarmMail: "a@b.example" })).toThrow(/alarmMail/);
  });

  it("takes a distribution with a certificate of us-east-1, in place of a custom domain", () => {
    const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/0190a5b8`;
    const distribution = { domainName: "chat.parley.example", certificateArn: certificate("us-east-1") };
    expect(parseStage("test", { ...smallest, distribution })).toMatchObject({ distribution });
    const elsewhere = { ...distribution, certificateArn: certificate("eu-central-1") };
    expect(() => parseStage("test", { ...smallest, distribution: elsewhere })).toThrow(
      /us-east-1\s.*distribution\.certificateArn/,
    );
    const customDomain = { name: "api.parley.example", certificateArn: certificate("eu-central-1") };
    expect(() => parseStage("test", { ...smallest, distribution, customDomain })).toThrow(/customDomain/);
  });

  it("names the key of a bad setting", () => {
    const settings = { zauth: { authSettings: { accessTokenTimeout: "soon" } } };
    expect(() => parseStage("test", { ...smallest, settings })).toThrow(InvalidSettingsError);
    expect(() => parseStage("test", { ...smallest, settings })).toThrow(
      "zauth.authSettings.accessTokenTimeout",
    );
  });

  it("names a setting that does not exist", () => {
    expect(() => parseStage("test", { ...smallest, settings: { setCookieLimit: 3 } })).toThrow(
      "setCookieLimit",
    );
  });
});
