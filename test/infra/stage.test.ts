import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  describeUploads,
  InvalidStageError,
  parseStage,
  readStage,
  requestNeedsOf,
  type Stage,
  tableMaximaOf,
} from "#lib/stage.ts";
import { InvalidSettingsError } from "#shared/registry/settings.ts";

const smallest = {
  isProtected: false,
  logRetentionDays: 7,
  memoryMegabytes: 512,
  workerConcurrency: 2,
  throttle: { requestsPerSecond: 10, burst: 10 },
};

const relayOf = (fields: object) => ({
  domainName: "relay.parley.example",
  certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/0190a5b8",
  ...fields,
});

it("the stage files by size in the guide are in order", () => {
  const root = new URL("../../", import.meta.url);
  const guide = readFileSync(new URL("docs/operations/deploying.md", root), "utf8");
  const [, section = ""] = guide.split("### Stage files by size");
  const examples = [
    ...section
      .split("\n### ", 1)
      .join()
      .matchAll(/```json\n([^`]*)```/g),
  ].map(([, text = ""]) => text);
  expect(examples).toHaveLength(2);
  const prod = JSON.parse(readFileSync(new URL("stages/prod.json", root), "utf8"));
  for (const text of examples)
    expect(() => parseStage("prod", { ...prod, ...JSON.parse(text) })).not.toThrow();
});

describe("the largest file of a stage", () => {
  const limitsOf = (settings: object) => {
    const { maxTotalBytes, maxTotalBytesStrict } = parseStage("x", { ...smallest, settings }).settings;
    return [maxTotalBytes, maxTotalBytesStrict];
  };

  it("is the largest that reaches a function, unless the settings name less", () => {
    expect(limitsOf({})).toEqual([4_600_000, 4_600_000]);
    expect(limitsOf({ maxTotalBytesStrict: 1 })).toEqual([4_600_000, 1]);
    expect(limitsOf({ maxTotalBytes: 4_600_000 })).toEqual([4_600_000, 4_600_000]);
  });

  it.each(["maxTotalBytes", "maxTotalBytesStrict"])("cannot be made larger by %s", (name) => {
    expect(() => limitsOf({ [name]: 4_600_001 })).toThrow(
      `settings.${name}: at most 4600000, the largest file that reaches a function, without uploads.mode relay`,
    );
  });

  const distribution = {
    domainName: "chat.parley.example",
    certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/0190a5b8",
  };
  const sizeOf = (fields: object) => parseStage("x", { ...smallest, ...fields }).settings.maxTotalBytes;
  const sockets = { mode: "relay", relay: relayOf({}) };

  it("equals that of existing servers where relays read uploads", () => {
    expect(sizeOf({ sockets, distribution })).toBe(104_857_632);
    expect(sizeOf({ sockets, distribution, settings: { maxTotalBytes: 1024 ** 3 } })).toBe(1024 ** 3);
    expect(
      sizeOf({ sockets: { ...sockets, mode: "gateway" }, distribution, uploads: { mode: "relay" } }),
    ).toBe(104_857_632);
    expect(sizeOf({ sockets, distribution, uploads: { mode: "function" } })).toBe(4_600_000);
    expect(sizeOf({ sockets })).toBe(4_600_000);
  });

  it("is printed when a stage is synthesised, with the means to accept larger ones", () => {
    const small = describeUploads(parseStage("x", { ...smallest, settings: { maxTotalBytesStrict: 1000 } }));
    expect(small).toBe(
      "x takes files of 4,600,000 bytes, and of 1,000 from users without a team. " +
        "Existing clients expect 104,857,632 and 26,214,432: relays behind a distribution take them (uploads.mode). " +
        "Signed addresses (POST /assets/uploads), for clients that know them, take files of 104,857,632 bytes, and of 26,214,432 from users without a team.",
    );
    expect(describeUploads(parseStage("x", { ...smallest, sockets, distribution }))).toBe(
      "x takes files of 104,857,632 bytes, and of 26,214,432 from users without a team.",
    );
  });

  it("needs relays and a distribution in front of them to be read by relays", () => {
    const refusal = "relay needs sockets.relay, and a distribution that sends uploads there";
    for (const fields of [{}, { sockets }, { distribution }])
      expect(() => sizeOf({ ...fields, uploads: { mode: "relay" } })).toThrow(refusal);
  });
});

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

  it.each(["eu-central1", "Frankfurt", "eu-central-1 ", ""])(
    "refuses %j as a region, wherever it is set",
    (region) => {
      const backups = { region, days: 35 };
      expect(() => parseStage("test", { ...smallest, region, replicaRegion: region, backups })).toThrow(
        /a region of AWS.*at region.*at replicaRegion.*at backups\.region/s,
      );
    },
  );

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

  it("lets prod take no more requests and posts a second than API Gateway lets an account have by default", () => {
    const needs = requestNeedsOf(readStage("prod"));
    expect(needs).toEqual({ apis: 4500, pings: 4000, posts: 1500, total: 10_000 });
  });

  it("counts neither pings nor posts where relays hold the sockets", () => {
    const stage = parseStage("test", { ...smallest, sockets: { mode: "relay", relay: relayOf({}) } });
    expect(requestNeedsOf(stage)).toEqual({ apis: 20, pings: 0, posts: 0, total: 20 });
  });

  it("accepts no more messages before back-pressure than a FIFO queue looks through", () => {
    const parse = (requestsPerSecond: number, settings: object = {}) =>
      parseStage("test", { ...smallest, throttle: { requestsPerSecond, burst: 4000 }, settings });
    expect(parse(2900).throttle.requestsPerSecond).toBe(2900);
    expect(() => parse(3000)).toThrow(
      "throttle: 3000 requests a second for 40 seconds and a burst of 4000 are 124000 messages, of which SQS looks " +
        "through 120000: lower requestsPerSecond to 2900, or settings.setMessageBacklog",
    );
    expect(() => parse(2900, { setMessageBacklog: { afterSecs: 60, pauseSecs: 10 } })).toThrow(
      /for 70 seconds .* lower requestsPerSecond to 1657/,
    );
  });

  it("has maxima for all tables, and others for single ones", () => {
    const tableMaxima = { readUnits: 100, writeUnits: 50, tables: { sockets: { writeUnits: 400 } } };
    const stage = parseStage("test", { ...smallest, tableMaxima });
    expect(tableMaximaOf(stage, "sockets")).toEqual({ readUnits: 100, writeUnits: 400 });
    expect(tableMaximaOf(stage, "search")).toEqual({ readUnits: 100, writeUnits: 50 });
    expect(tableMaximaOf(parseStage("test", smallest), "search")).toEqual({});
    const unknown = { ...tableMaxima, tables: { socket: { writeUnits: 400 } } };
    expect(() => parseStage("test", { ...smallest, tableMaxima: unknown })).toThrow(/tableMaxima\.tables/);
  });

  it("lets all sockets that a deployment of relays ends reconnect within the maximum of their table", () => {
    const parse = (writeUnits: number, relay: object) =>
      parseStage("test", {
        ...smallest,
        tableMaxima: { readUnits: 12_000, writeUnits: 4000, tables: { sockets: { writeUnits } } },
        sockets: { mode: "relay", relay: relayOf(relay) },
      });
    // 50,000 sockets.
    const relay = { minTasks: 5, maxTasks: 5, socketsPerTask: 10_000 };
    expect(() => parse(4000, relay)).toThrow(
      "50000 sockets on 5 relays, of which a deployment ends 100 % within 90 seconds, take 11 write units each to close and " +
        "open again: 6112 a second, and the table sockets takes 4000. Lower deploymentPercent to 65, or raise " +
        "tableMaxima.tables.sockets.writeUnits to 6112",
    );
    expect(parse(6112, relay).sockets.mode).toBe("relay");
    expect(parse(4000, { ...relay, deploymentPercent: 60 }).sockets.mode).toBe("relay");
  });

  it("proposes no smaller deployment of relays than one of them", () => {
    const parse = (writeUnits: number, relay: object) =>
      parseStage("test", {
        ...smallest,
        tableMaxima: { readUnits: 12_000, writeUnits },
        sockets: { mode: "relay", relay: relayOf({ maxTasks: 10, socketsPerTask: 20_000, ...relay }) },
      });
    expect(() => parse(4000, { minTasks: 2 })).toThrow(
      "Lower deploymentPercent to 16 and raise minTasks to 7, or raise tableMaxima.tables.sockets.writeUnits to 24445",
    );
    expect(parse(4000, { minTasks: 7, deploymentPercent: 16 }).sockets.mode).toBe("relay");
    // A single relay takes more.
    expect(() => parse(2000, { minTasks: 2 })).toThrow(
      "the table sockets takes 2000. Raise tableMaxima.tables.sockets.writeUnits to 24445",
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

  it("lets API Gateway hold the sockets by default, and relays if the stage says how", () => {
    const relay = {
      domainName: "relay.parley.example",
      certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/0190a5b8",
    };
    const parse = (sockets: object, fields: object = {}) =>
      parseStage("test", { ...smallest, ...fields, sockets }).sockets;
    expect(parse({})).toMatchObject({ mode: "gateway" });
    expect(parse({})).not.toHaveProperty("relay");
    expect(parse({ mode: "relay", relay })).toMatchObject({
      mode: "relay",
      relay: {
        ...relay,
        minTasks: 2,
        maxTasks: 10,
        cpu: 1024,
        memoryMegabytes: 4096,
        socketsPerTask: 20_000,
      },
    });
    expect(parse({ relay })).toMatchObject({ mode: "gateway", relay });
    expect(() => parse({ mode: "relay" })).toThrow(/sockets\.relay/);
    expect(() =>
      parse({ relay: { ...relay, certificateArn: "arn:aws:iam::1:server-certificate/a" } }),
    ).toThrow(/a certificate of ACM\s.*sockets\.relay\.certificateArn/);
    expect(() => parse({ relay: { ...relay, minTasks: 3, maxTasks: 2 } })).toThrow(/at least minTasks, 3/);
    expect(() => parse({ relay: { ...relay, memoryMegabytes: 1024 } })).toThrow(/from 2048 to 8192/);
    expect(() => parse({ relay: { ...relay, socketsPerTask: 40_000 } })).toThrow(/socketsPerTask/);
    expect(() => parse({ relay: { ...relay, minTasks: 1 } }, { isProtected: true })).toThrow(
      /at least 2 for a protected stage.*\s.*sockets\.relay\.minTasks/,
    );
  });

  it("replaces at least one relay at a time", () => {
    const relay = {
      domainName: "relay.parley.example",
      certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/0190a5b8",
      deploymentPercent: 25,
    };
    const parse = (minTasks: number) =>
      parseStage("test", { ...smallest, sockets: { mode: "relay", relay: { ...relay, minTasks } } });
    expect(parse(4).sockets.relay).toMatchObject({ deploymentPercent: 25 });
    // With three tasks, AWS would neither start one before another has ended, nor end one before another has started.
    expect(() => parse(3)).toThrow(/sockets\.relay\.deploymentPercent/);
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
