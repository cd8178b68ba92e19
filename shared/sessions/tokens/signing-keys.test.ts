import { expect, it } from "vitest";
import {
  activeKey,
  currentKeys,
  newSigningKeySet,
  rotateSigningKeys,
  type SigningKeySet,
  type VerificationKeySet,
  verificationKeysOf,
} from "./signing-keys.ts";

const now = 2_000_000_000;
const day = 86_400;
const nothing: VerificationKeySet = { keys: [] };
const indexes = ({ keys }: SigningKeySet) => keys.map(({ index }) => index);

/** A set whose second key was published now. */
function rotated(): { keySet: SigningKeySet; published: VerificationKeySet } {
  const first = newSigningKeySet();
  const before = verificationKeysOf(first, nothing, now - 30 * day);
  const keySet = rotateSigningKeys(first, before, now - day);
  return { keySet, published: verificationKeysOf(keySet, before, now) };
}

it("a new set has one key, which signs immediately", () => {
  const keySet = rotateSigningKeys({ keys: [] }, nothing, now);
  expect(activeKey(keySet.keys, verificationKeysOf(keySet, nothing, now), now).index).toBe(1);
});

it("a new key signs only after every verifier has read it, counted from its publication", () => {
  const { keySet, published } = rotated();
  expect(activeKey(keySet.keys, published, now).index).toBe(1);
  expect(activeKey(keySet.keys, published, now + 599).index).toBe(1);
  expect(activeKey(keySet.keys, published, now + 600).index).toBe(2);
});

it("a key that is published again keeps its start time", () => {
  const { keySet, published } = rotated();
  expect(verificationKeysOf(keySet, published, now + 500)).toEqual(published);
});

it("no key signs before it is published, even if another one with its index was", () => {
  const { keySet, published } = rotated();
  const repeated = rotateSigningKeys({ keys: keySet.keys.slice(0, 1) }, published, now);
  expect(activeKey(repeated.keys, published, now + day).index).toBe(1);
  const republished = verificationKeysOf(repeated, published, now + day);
  expect(activeKey(repeated.keys, republished, now + day + 599).index).toBe(1);
  expect(activeKey(repeated.keys, republished, now + day + 600).index).toBe(2);
});

it("a key is kept as long as anything that it signed can be valid", () => {
  const { keySet, published } = rotated();
  const successorSigns = now + 600;
  const at = (seconds: number) => indexes(rotateSigningKeys(keySet, published, successorSigns + seconds));
  expect(at(14_515_199)).toEqual([1, 2, 3]);
  expect(at(14_515_200)).toEqual([2, 3]);
});

it("dropped keys stay published for the tokens of bots, marked as retired", () => {
  const { keySet, published } = rotated();
  const later = now + 600 + 14_515_200;
  const next = rotateSigningKeys(keySet, published, later);
  expect(indexes(next)).toEqual([2, 3]);
  const { keys } = verificationKeysOf(next, published, later);
  expect(keys.map(({ index, isRetired = false }) => [index, isRetired])).toEqual([
    [1, true],
    [2, false],
    [3, false],
  ]);
  expect(currentKeys({ keys }).map(({ index }) => index)).toEqual([2, 3]);
  expect(verificationKeysOf(next, { keys }, later + 5).keys).toEqual(keys);
});

it("a key that was published for an unfinished rotation is forgotten", () => {
  const { keySet, published } = rotated();
  const repeated = rotateSigningKeys({ keys: keySet.keys.slice(0, 1) }, published, now);
  const { keys } = verificationKeysOf(repeated, published, now);
  expect(keys.map(({ index, jwk }) => [index, jwk.x])).toEqual(
    repeated.keys.map(({ index, jwk }) => [index, jwk.x]),
  );
});

it("no private key is published", () => {
  expect(JSON.stringify(verificationKeysOf(newSigningKeySet(), nothing, now))).not.toContain('"d"');
});
