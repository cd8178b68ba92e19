import { expect, it } from "vitest";
import { activeKey, newSigningKeySet, rotateSigningKeys, verificationKeysOf } from "./signing-keys.ts";

const now = 2_000_000_000;
const day = 86_400;
const indexes = ({ keys }: ReturnType<typeof newSigningKeySet>) => keys.map(({ index }) => index);

it("starts with one key that signs immediately", () => {
  expect(activeKey(rotateSigningKeys({ keys: [] }, now).keys, now).index).toBe(1);
});

it("lets a new key sign only after every verifier has read it", () => {
  const { keys } = rotateSigningKeys(newSigningKeySet(now - day), now);
  expect(activeKey(keys, now).index).toBe(1);
  expect(activeKey(keys, now + 599).index).toBe(1);
  expect(activeKey(keys, now + 600).index).toBe(2);
});

it("keeps a key as long as anything that it signed can be valid", () => {
  const rotated = rotateSigningKeys(newSigningKeySet(now), now + 30 * day);
  const successorSigns = now + 30 * day + 600;
  expect(indexes(rotateSigningKeys(rotated, successorSigns + 14_515_199))).toEqual([1, 2, 3]);
  expect(indexes(rotateSigningKeys(rotated, successorSigns + 14_515_200))).toEqual([2, 3]);
});

it("publishes no private key", () => {
  expect(JSON.stringify(verificationKeysOf(newSigningKeySet(now)))).not.toContain('"d"');
});
