import type { SrvRecord } from "node:dns";
import { describe, expect, it } from "vitest";
import { createLog } from "#shared/platform/log.ts";
import { parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { SftDirectory } from "./sft-directory.ts";

const record = (name: string, fields: Partial<SrvRecord> = {}): SrvRecord => ({
  name,
  port: 443,
  priority: 1,
  weight: 1,
  ...fields,
});

/** A directory with a clock of its own over a name server that answers as `answer` says. */
function directoryOver(
  answer: () => SrvRecord[] | Error,
  settings: SettingsInput = { setSft: { baseDomain: "a.example" } },
) {
  const asked: string[] = [];
  let now = 1_000_000;
  const directory = new SftDirectory(
    { clock: () => now, log: createLog("test", "CRITICAL"), settings: parseSettings(settings) },
    async (name) => {
      asked.push(name);
      const result = answer();
      if (result instanceof Error) throw result;
      return result;
    },
  );
  const advance = (seconds: number) => {
    now += seconds * 1000;
  };
  return { directory, asked, advance };
}

describe("the SFT directory", () => {
  it("looks up the configured service of the domain and turns the records into URLs", async () => {
    const { directory, asked } = directoryOver(() => [record("sft1.a.example", { port: 8443 })]);
    expect(await directory.urls()).toEqual(["https://sft1.a.example:8443"]);
    expect(asked).toEqual(["_sft._tcp.a.example"]);

    const other = directoryOver(() => [], { setSft: { baseDomain: "b.example", service: "conference" } });
    await other.directory.urls();
    expect(other.asked).toEqual(["_conference._tcp.b.example"]);
  });

  it("makes no lookup when discovery is not configured", async () => {
    const { directory, asked } = directoryOver(() => [record("sft1.a.example")], {});
    expect(await directory.urls()).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("prefers lower priorities, and heavier servers more often within one priority", async () => {
    const records = [
      record("backup", { priority: 2, weight: 1000 }),
      record("light", { weight: 1 }),
      record("heavy", { weight: 9 }),
      record("none", { weight: 0 }),
    ];
    const first = new Map<string, number>();
    for (let round = 0; round < 1000; round++) {
      const urls = await directoryOver(() => records).directory.urls();
      expect(urls).toHaveLength(4);
      expect(urls[3]).toBe("https://backup");
      first.set(urls[0] ?? "", (first.get(urls[0] ?? "") ?? 0) + 1);
    }
    expect(first.get("https://heavy")).toBeGreaterThan(800);
    expect(first.get("https://light")).toBeGreaterThan(30);
  });

  it("skips invalid host names, such as the dot of an unavailable service (RFC 2782)", async () => {
    const records = ["", ".", "a b", "a.example/path?x=", "user@evil.example", "fine.a.example."].map(
      (name) => record(name),
    );
    const urls = await directoryOver(() => records).directory.urls();
    expect(urls).toEqual(["https://fine.a.example"]);
  });

  it("makes one lookup for concurrent callers, and the next after a minute", async () => {
    const { directory, asked, advance } = directoryOver(() => [record("sft1")]);
    await Promise.all(Array.from({ length: 20 }, () => directory.urls()));
    advance(59);
    await directory.urls();
    expect(asked).toHaveLength(1);
    advance(1);
    expect(await directory.urls()).toEqual(["https://sft1"]);
    expect(asked).toHaveLength(2);
  });

  it("returns nothing when the name server fails, and asks it again after ten seconds", async () => {
    let answer: SrvRecord[] | Error = new Error("queryAsrv ETIMEOUT");
    const { directory, asked, advance } = directoryOver(() => answer);
    expect(await directory.urls()).toEqual([]);
    answer = [record("sft1")];
    advance(9);
    expect(await directory.urls()).toEqual([]);
    expect(asked).toHaveLength(1);
    advance(1);
    expect(await directory.urls()).toEqual(["https://sft1"]);
  });

  it("returns nothing within seconds for a domain that does not resolve", async () => {
    const directory = new SftDirectory({
      clock: Date.now,
      log: createLog("test", "CRITICAL"),
      settings: parseSettings({ setSft: { baseDomain: "does-not-exist.invalid" } }),
    });
    const startedAt = Date.now();
    expect(await directory.urls()).toEqual([]);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
  });
});
