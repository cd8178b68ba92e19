import { expect, it } from "vitest";
import { type Retention, retentions } from "#shared/registry/buckets.ts";
import { expiryOf, newAssetKey, parseAssetKey } from "./asset-key.ts";

it.each(Object.keys(retentions) as Retention[])("a new key of the retention %s is read back", (retention) => {
  const key = newAssetKey(retention);
  expect(parseAssetKey(key.text)).toEqual(key);
  expect(parseAssetKey(key.text.toUpperCase())).toEqual(key);
  expect(key.objectName).toBe(`v3/${retention}/${key.text.slice(4)}`);
});

it("two new keys differ", () => {
  expect(new Set(Array.from({ length: 100 }, () => newAssetKey("persistent").text)).size).toBe(100);
});

it("only volatile and expiring assets expire", () => {
  const day = 86_400_000;
  const ends = (Object.keys(retentions) as Retention[]).map((retention) => [
    retention,
    expiryOf(retention, day),
  ]);
  expect(Object.fromEntries(ends)).toEqual({
    eternal: undefined,
    persistent: undefined,
    volatile: 29 * day,
    "eternal-infrequent_access": undefined,
    expiring: 366 * day,
  });
});
