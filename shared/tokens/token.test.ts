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

it("has the published layout", () => {
  expect(text).toMatch(
    /^[\w-]{86}==\.v=1\.k=1\.d=2000000000\.t=a\.l=\.u=2ff7b8a5-5b2c-4a4c-9b3a-0d7b3a1f3c11\.c=18446744073709551615$/,
  );
});

it("is read back as it was created", () => {
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

it("is signed over every part", () => {
  expect(isSignedBy(text, toPublicKey(jwk))).toBe(true);
  expect(isSignedBy(text.replace("d=2000000000", "d=2000000001"), toPublicKey(jwk))).toBe(false);
  expect(isSignedBy(text.replace("t=a", "t=u"), toPublicKey(jwk))).toBe(false);
  expect(isSignedBy(`A${text.slice(1)}`, toPublicKey(jwk))).toBe(text.startsWith("A"));
  const other = newSigningKeySet().keys[0]?.jwk ?? {};
  expect(isSignedBy(text, toPublicKey(other))).toBe(false);
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
  text.replace("d=2000000000", "d=soon"),
])("is not parsed when it is malformed: %s", (nonsense) => {
  expect(parseToken(nonsense)).toBeUndefined();
});
