import { expect, it } from "vitest";
import { newSigningKeySet, toPrivateKey, toPublicKey } from "./signing-keys.ts";
import { isSignedBy, parseToken, signToken, type Token } from "./token.ts";

const [key] = newSigningKeySet().keys;
const jwk = key?.jwk ?? {};
const token: Token = {
  type: "access",
  keyIndex: 1,
  expiresAtSeconds: 2_000_000_000,
  isSession: false,
  userId: "2ff7b8a5-5b2c-4a4c-9b3a-0d7b3a1f3c11",
  connectionId: "18446744073709551615",
};
const text = signToken(token, toPrivateKey(jwk));

it("a token has the published layout", () => {
  expect(text).toMatch(
    /^[\w-]{86}==\.v=1\.k=1\.d=2000000000\.t=a\.l=\.u=2ff7b8a5-5b2c-4a4c-9b3a-0d7b3a1f3c11\.c=18446744073709551615$/,
  );
});

it("a token is read back as it was created", () => {
  expect(parseToken(text)).toMatchObject(token);
  const cookie: Token = {
    ...token,
    type: "cookie",
    isSession: true,
    connectionId: undefined,
    cookieId: 0xff,
  };
  const cookieText = signToken(cookie, toPrivateKey(jwk));
  expect(cookieText).toMatch(/\.t=u\.l=s\.u=[^.]+\.r=000000ff$/);
  expect(parseToken(cookieText)).toMatchObject({ type: "cookie", isSession: true, cookieId: 0xff });
});

const providerId = "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a01";
const botId = "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a02";
const conversationId = "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a03";

it("a token of a provider names it, and expires", () => {
  const provider = { type: "provider", keyIndex: 1, expiresAtSeconds: 2_000_000_000, providerId } as const;
  const signed = signToken(provider, toPrivateKey(jwk));
  expect(signed.slice(89)).toBe(`v=1.k=1.d=2000000000.t=p.l=.p=${providerId}`);
  expect(parseToken(signed)).toEqual(provider);
  expect(parseToken(signed.replace(".p=6", ".p=z"))).toBeUndefined();
});

it("a token of a bot names its provider and conversation, and must not expire", () => {
  const bot = { type: "bot", keyIndex: 1, providerId, botId, conversationId } as const;
  const signed = signToken(bot, toPrivateKey(jwk));
  expect(signed.slice(89)).toBe(`v=1.k=1.d=-1.t=b.l=.p=${providerId}.b=${botId}.c=${conversationId}`);
  expect(parseToken(signed)).toEqual(bot);
  for (const other of ["d=2000000000", "d=0", "d=-2", "d=1e99", ""]) {
    expect(parseToken(signed.replace("d=-1", other)), other).toBeUndefined();
  }
  for (const part of ["p", "b", "c"]) {
    expect(parseToken(signed.replace(`.${part}=6`, `.${part}=z`)), part).toBeUndefined();
    expect(parseToken(signed.replace(new RegExp(`\\.${part}=6[^.]*`), "")), part).toBeUndefined();
  }
});

it.each([
  ["a public key checks the signature", toPublicKey],
  ["a private key makes it again", toPrivateKey],
])("a token is signed over every part: %s", (_, toKey) => {
  const holds = (candidate: string, by = jwk) => isSignedBy(candidate, toKey(by));
  expect(holds(text)).toBe(true);
  expect(holds(text.replace("d=2000000000", "d=2000000001"))).toBe(false);
  expect(holds(text.replace("t=a", "t=u"))).toBe(false);
  expect(holds(`A${text.slice(1)}`)).toBe(text.startsWith("A"));
  expect(holds(`${text}.`)).toBe(false);
  expect(holds(text.slice(0, 89))).toBe(false);
  expect(holds(text.slice(1))).toBe(false);
  expect(holds(text, newSigningKeySet().keys[0]?.jwk)).toBe(false);
});

it.each([
  ["public", toPublicKey],
  ["private", toPrivateKey],
])("a token has only one spelling of its signature: %s key", (_, toKey) => {
  // The last character before the padding carries four bits that no byte needs.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(text.charAt(85));
  const respelled = `${text.slice(0, 85)}${alphabet[last ^ 1]}${text.slice(86)}`;
  const bytes = (token: string) => Buffer.from(token.slice(0, 88), "base64url").toString("hex");
  expect(bytes(respelled)).toBe(bytes(text));
  expect(isSignedBy(respelled, toKey(jwk))).toBe(false);
});

it.each([
  "",
  ".",
  "garbage",
  text.slice(0, 89),
  text.replace("v=1", "v=2"),
  text.replace("t=a", "t=x"),
  text.replace("u=2ff7", "u=zzzz"),
  `${text}.v=1`,
  text.replace("l=", "lx"),
  text.replace("d=2000000000", "d=soon"),
])("a malformed token is not parsed: %s", (nonsense) => {
  expect(parseToken(nonsense)).toBeUndefined();
});
