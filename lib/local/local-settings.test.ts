import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readLocalSettings } from "./local-settings.ts";

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "settings.json");
  writeFileSync(file, text);
  return file;
}

test("a file overrides single keys of the local stage", () => {
  const file = fileWith(
    JSON.stringify({ setPasswordHashingRateLimit: { perIp: { refillSeconds: 9 } }, productName: "X" }),
  );
  const settings = readLocalSettings(file);
  expect(settings.productName).toBe("X");
  expect(settings.setPasswordHashingRateLimit.perIp).toEqual({ burst: 5, refillSeconds: 9 });
  expect(settings.setPasswordHashingRateLimit.perUser.refillSeconds).toBe(0);
});

test("no bucket and no daily budget refuses anything, unless a file sets it", () => {
  const settings = readLocalSettings();
  const bucketsIn = (value: unknown): { refillSeconds: number }[] =>
    typeof value !== "object" || value === null
      ? []
      : "refillSeconds" in value
        ? [value as { refillSeconds: number }]
        : Object.values(value).flatMap(bucketsIn);
  expect(new Set(bucketsIn(settings).map(({ refillSeconds }) => refillSeconds))).toEqual(new Set([0]));

  const budgets = Object.entries(settings).filter(([name]) => /Daily\w*Budget$/.test(name));
  const limits = budgets.flatMap(([, budget]) => (budget === null ? [null] : Object.values(budget)));
  expect(budgets.length).toBeGreaterThan(4);
  expect(limits.filter((limit) => typeof limit === "number")).toEqual([]);
});

test("services on this machine can be called", () => {
  const { services, legalHoldService, webhooks } = readLocalSettings();
  for (const { allowsPrivateAddresses } of [services, legalHoldService, webhooks])
    expect(allowsPrivateAddresses).toBe(true);
});

test("another hashing algorithm inherits none of the default algorithm's parameters", () => {
  const file = fileWith(
    JSON.stringify({ setPasswordHashingOptions: { algorithm: "argon2id", memory: 1024 } }),
  );
  expect(readLocalSettings(file).setPasswordHashingOptions).toEqual({
    algorithm: "argon2id",
    iterations: 2,
    memory: 1024,
    parallelism: 1,
  });
});

test("an unknown key, an invalid value and an unreadable file are named in the error", () => {
  expect(() => readLocalSettings(fileWith('{"setFoo": 1, "vendor": "X"}'))).toThrow(/vendor.*setFoo/);
  expect(() => readLocalSettings(fileWith("{"))).toThrow(/^Settings file .* cannot be read: /);
  expect(() => readLocalSettings("/nowhere.json")).toThrow(
    /^Settings file \/nowhere.json cannot be read: ENOENT/,
  );
});

test("the file of a stage is accepted, and its settings are used", () => {
  const stage = { isProtected: true, logRetentionDays: 7, settings: { productName: "X" } };
  expect(readLocalSettings(fileWith(JSON.stringify(stage))).productName).toBe("X");
});
