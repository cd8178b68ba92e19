import { expect, it } from "vitest";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { newSigningKeySet, rotateSigningKeys, toPrivateKey, verificationKeysOf } from "./signing-keys.ts";
import { signToken, type Token } from "./token.ts";
import { TokenVerifier } from "./token-verifier.ts";

const now = 2_000_000_000;
const first = newSigningKeySet();
const firstPublished = verificationKeysOf(first, { keys: [] }, now - 10_000);
const rotated = rotateSigningKeys(first, firstPublished, now - 9_000);
const published = verificationKeysOf(rotated, firstPublished, now - 9_000);

const token: Token = {
  type: "access",
  keyIndex: 1,
  expiresAtSeconds: now + 60,
  isSession: false,
  userId: "2ff7b8a5-5b2c-4a4c-9b3a-0d7b3a1f3c11",
  connectionId: "1",
};
const [oldKey = {}, newKey = {}] = rotated.keys.map(({ jwk }) => jwk);
const oldText = signToken(token, toPrivateKey(oldKey));
const newText = signToken({ ...token, keyIndex: 2 }, toPrivateKey(newKey));

/** Secrets as a function reads them; `read` replaces them, as a later read would. */
function newSecrets(values: Readonly<Record<string, unknown>>) {
  let parsed = new Map<unknown, unknown>();
  const read = (next: Readonly<Record<string, unknown>>) => {
    values = next;
    parsed = new Map();
  };
  const get = async (name: string, parse: (text: string) => unknown) => {
    if (!parsed.has(parse)) parsed.set(parse, parse(JSON.stringify(values[name])));
    return parsed.get(parse);
  };
  return { secrets: { get } as unknown as SecretReader, read };
}

const all = { "verification-keys": published, "signing-keys": rotated };

const cases = [
  ["that holds public keys only", false],
  ["that holds the private keys, too", true],
] as const;

it.each(cases)(
  "by a function %s, tokens of each published key are valid until they expire",
  async (_, holdsSigningKeys) => {
    let seconds = now;
    const { secrets } = newSecrets(all);
    const verifier = new TokenVerifier({ secrets, clock: () => seconds * 1000, holdsSigningKeys });
    // Twice, because a verifier remembers the tokens that it has seen.
    for (const text of [oldText, newText, oldText, newText]) {
      expect(await verifier.verify(text)).toMatchObject({
        outcome: "valid",
        token: { userId: token.userId },
      });
    }
    seconds = token.expiresAtSeconds;
    expect(await verifier.verify(oldText)).toMatchObject({ outcome: "expired" });
  },
);

it.each(cases)(
  "by a function %s, a token under another name or with other content is rejected as forged",
  async (_, holdsSigningKeys) => {
    const { secrets } = newSecrets(all);
    const verifier = new TokenVerifier({ secrets, clock: () => now * 1000, holdsSigningKeys });
    await verifier.verify(oldText);
    const otherUser = oldText.replace(token.userId, "2ff7b8a5-5b2c-4a4c-9b3a-0d7b3a1f3c12");
    const strangers = signToken(token, toPrivateKey(newSigningKeySet().keys[0]?.jwk ?? {}));
    const otherIndex = signToken({ ...token, keyIndex: 2 }, toPrivateKey(oldKey));
    for (const text of [otherUser, strangers, otherIndex, oldText.replace("k=1", "k=3")]) {
      expect(await verifier.verify(text)).toEqual({ outcome: "forged" });
    }
  },
);

it.each(cases)(
  "by a function %s, tokens of a withdrawn key are rejected once the withdrawal is read",
  async (_, holdsSigningKeys) => {
    const { secrets, read } = newSecrets(all);
    const verifier = new TokenVerifier({ secrets, clock: () => now * 1000, holdsSigningKeys });
    expect(await verifier.verify(oldText)).toMatchObject({ outcome: "valid" });
    read({ ...all, "verification-keys": { keys: published.keys.slice(1) } });
    expect(await verifier.verify(oldText)).toEqual({ outcome: "forged" });
    expect(await verifier.verify(newText)).toMatchObject({ outcome: "valid" });
  },
);

it("accepts nothing that a retired key has signed, except tokens of bots", async () => {
  const bot = {
    type: "bot",
    keyIndex: 1,
    providerId: token.userId,
    botId: token.userId,
    conversationId: token.userId,
  } as const;
  const retired = {
    keys: published.keys.map((key) => (key.index === 1 ? { ...key, isRetired: true } : key)),
  };
  const { secrets } = newSecrets({ ...all, "verification-keys": retired });
  const verifier = new TokenVerifier({ secrets, clock: () => now * 1000 });
  expect(await verifier.verify(signToken(bot, toPrivateKey(oldKey)))).toMatchObject({ outcome: "valid" });
  expect(await verifier.verify(oldText)).toEqual({ outcome: "forged" });
  expect(await verifier.verify(newText)).toMatchObject({ outcome: "valid" });
});

it("a published key verifies, and an unpublished private key with the same index does not", async () => {
  const others = newSigningKeySet();
  const { secrets } = newSecrets({ ...all, "signing-keys": others });
  const verifier = new TokenVerifier({ secrets, clock: () => now * 1000, holdsSigningKeys: true });
  expect(await verifier.verify(oldText)).toMatchObject({ outcome: "valid" });
  const unpublished = signToken(token, toPrivateKey(others.keys[0]?.jwk ?? {}));
  expect(await verifier.verify(unpublished)).toEqual({ outcome: "forged" });
});
