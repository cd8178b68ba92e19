import { describe, expect, it } from "vitest";
import { InvalidStageError, parseStage, readStage, type Stage } from "#lib/stage.ts";
import { InvalidSettingsError } from "#shared/registry/settings.ts";

const smallest = {
  isProtected: false,
  logRetentionDays: 7,
  memoryMegabytes: 512,
  workerConcurrency: 2,
  throttle: { requestsPerSecond: 10, burst: 10 },
};

describe("readStage", () => {
  it("reads dev, which is disposable, and prod, which is protected", () => {
    expect(readStage("dev")).toMatchObject({ name: "dev", isProtected: false });
    expect(readStage("prod")).toMatchObject({ name: "prod", isProtected: true });
  });

  it("names the missing file of an unknown stage", () => {
    expect(() => readStage("nowhere")).toThrow(
      "There is no stage nowhere: stages/nowhere.json cannot be read",
    );
  });

  it("reads no file outside the folder of the stages", () => {
    expect(() => readStage("../package")).toThrow(InvalidStageError);
  });
});

describe("parseStage", () => {
  it("fills in defaults, including those of the settings", () => {
    const stage = parseStage("test", smallest);
    expect(stage).toMatchObject({ tracing: false, logLevel: "INFO", emailIdentity: "domain" });
    expect(stage.settings.setDefaultUserLocale).toBeUndefined();
    expect(stage.settings.setUserCookieLimit).toBe(32);
  });

  it("names the key of an invalid value", () => {
    expect(() => parseStage("test", { ...smallest, throttle: { requestsPerSecond: 0, burst: 1 } })).toThrow(
      /throttle\.requestsPerSecond/,
    );
  });

  it("lets prod answer the pings of 40,000 sockets, twice over, and any stage those of 5,000", () => {
    const socketsOf = ({ sockets: { pings } }: Stage) => (pings.requestsPerSecond * 20) / 2;
    expect(socketsOf(readStage("prod"))).toBe(40_000);
    expect(socketsOf(parseStage("test", smallest))).toBe(5000);
    expect(() => parseStage("test", { ...smallest, sockets: { pings: { burst: 1 } } })).toThrow(
      /sockets\.pings\.requestsPerSecond/,
    );
  });

  it("names an unknown key", () => {
    expect(() => parseStage("test", { ...smallest, alarmMail: "a@b.example" })).toThrow(/alarmMail/);
  });

  it("accepts a distribution with a certificate in us-east-1, instead of a custom domain", () => {
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

  it("reserves instances of functions, by name, and no fewer than the batches of their queue", () => {
    const parse = (fields: object) => parseStage("test", { ...smallest, ...fields });
    expect(parse({ reservedConcurrency: { sessions: 20, "fan-out": 2 } })).toMatchObject({
      reservedConcurrency: { sessions: 20, "fan-out": 2 },
    });
    expect(() => parse({ reservedConcurrency: { session: 20 } })).toThrow(/reservedConcurrency/);
    expect(() => parse({ reservedConcurrency: { sessions: 0 } })).toThrow(/reservedConcurrency\.sessions/);
    expect(() => parse({ queueConcurrency: { event: 5 } })).toThrow(/queueConcurrency/);
    expect(() => parse({ queueConcurrency: { events: 5 }, reservedConcurrency: { "fan-out": 4 } })).toThrow(
      /at least 5.*\s.*reservedConcurrency\["fan-out"\]/,
    );
  });

  it("names the key of an invalid setting", () => {
    const settings = { zauth: { authSettings: { accessTokenTimeout: "soon" } } };
    expect(() => parseStage("test", { ...smallest, settings })).toThrow(InvalidSettingsError);
    expect(() => parseStage("test", { ...smallest, settings })).toThrow(
      "zauth.authSettings.accessTokenTimeout",
    );
  });

  it("names an unknown setting", () => {
    expect(() => parseStage("test", { ...smallest, settings: { setCookieLimit: 3 } })).toThrow(
      "setCookieLimit",
    );
  });
});
