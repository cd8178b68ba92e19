import { generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import { expect, it } from "vitest";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { JwtSigner, type JwtType, JwtVerifier } from "./jwt.ts";
import { newSigningKeySet, rotateSigningKeys, toPrivateKey, verificationKeysOf } from "./signing-keys.ts";

const now = 2_000_000_000;
const clock = () => now * 1000;
const firstKeySet = newSigningKeySet();
const firstPublished = verificationKeysOf(firstKeySet, { keys: [] }, now - 10_000);
const keySet = rotateSigningKeys(firstKeySet, firstPublished, now - 9_000);
const published = verificationKeysOf(keySet, firstPublished, now - 9_000);
const [oldKey, newKey] = keySet.keys;

/** Secrets as the functions read them. */
const secretsOf = (secrets: Readonly<Record<string, unknown>>) =>
  ({
    get: async (name: string, parse: (text: string) => unknown) => {
      if (secrets[name] === undefined) throw new Error(`There is no secret ${name}`);
      return parse(JSON.stringify(secrets[name]));
    },
  }) as unknown as SecretReader;

const settings = parseSettings({ domain: "parley.example.com" });
const secrets = secretsOf({ "signing-keys": keySet, "verification-keys": published });
const signer = new JwtSigner({ secrets, clock });
const verifier = new JwtVerifier({ secrets, settings, clock });

const claims = {
  iss: "parley.example.com",
  aud: "parley.example.com",
  sub: "2ff7b8a5-5b2c-4a4c-9b3a-0d7b3a1f3c11",
  scope: "read:self write:conversations",
  iat: now,
  exp: now + 300,
};

/** Signs like `JwtSigner`, but with any header and claims. */
const signed = (header: object, payload: object, key = newKey?.jwk) =>
  new SignJWT({ ...payload })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: "2", ...header })
    .sign(toPrivateKey(key ?? {}));

const without = (name: keyof typeof claims) => ({ ...claims, [name]: undefined });

it("the verifier of JSON Web Tokens accepts an access token signed with the newest or the previous key", async () => {
  const expected = { userId: claims.sub, scopes: ["read:self", "write:conversations"] };
  expect(await verifier.verifyAccess(await signer.sign("at+jwt", claims))).toEqual(expected);
  expect(await verifier.verifyAccess(await signed({ kid: "1" }, claims, oldKey?.jwk))).toEqual(expected);
});

it("the verifier of JSON Web Tokens accepts no token of a retired key", async () => {
  const retired = {
    keys: published.keys.map((key) => (key.index === 1 ? { ...key, isRetired: true } : key)),
  };
  const later = new JwtVerifier({ secrets: secretsOf({ "verification-keys": retired }), settings, clock });
  expect(await later.verifyAccess(await signed({ kid: "1" }, claims, oldKey?.jwk))).toBeUndefined();
  expect(await later.verifyAccess(await signer.sign("at+jwt", claims))).toBeDefined();
});

it.each([
  ["another issuer", {}, { ...claims, iss: "https://parley.example.com" }],
  ["another audience", {}, { ...claims, aud: "other.example.com" }],
  ["no issuer", {}, without("iss")],
  ["no audience", {}, without("aud")],
  ["no subject", {}, without("sub")],
  ["no scope", {}, without("scope")],
  ["no expiry", {}, without("exp")],
  ["an expiry in the past", {}, { ...claims, exp: now - 1 }],
  ["a start in the future", {}, { ...claims, nbf: now + 60 }],
  ["the type of a refresh token", { typ: "refresh+jwt" }, claims],
  ["the type of a page session", { typ: "authorize-session+jwt" }, claims],
  ["the generic type of a JWT", { typ: "JWT" }, claims],
  ["no type", { typ: undefined }, claims],
  ["the key id of another key", { kid: "1" }, claims],
  ["an unknown key id", { kid: "3" }, claims],
  ["no key id", { kid: undefined }, claims],
])("the verifier of JSON Web Tokens refuses a token of ours with %s", async (_, header, payload) => {
  expect(await verifier.verifyAccess(await signed(header, payload))).toBeUndefined();
});

it("the verifier of JSON Web Tokens refuses a token signed with a key that the token itself brings", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const jwk = publicKey.export({ format: "jwk" });
  const header = { alg: "EdDSA", typ: "at+jwt", kid: "2", jwk, jku: "https://evil.example.com/jwks" };
  const token = await new SignJWT({ ...claims }).setProtectedHeader(header).sign(privateKey);
  expect(await verifier.verifyAccess(token)).toBeUndefined();
});

it.each(["at+jwt", "refresh+jwt", "authorize-session+jwt"] satisfies JwtType[])(
  "accepts a token of type %s as no other type",
  async (type) => {
    const token = await signer.sign(type, claims);
    for (const other of ["at+jwt", "refresh+jwt", "authorize-session+jwt"] satisfies JwtType[]) {
      const verified = await verifier.verify(other, token, []);
      expect(verified === undefined, other).toBe(other !== type);
    }
  },
);

it("the verifier of JSON Web Tokens throws jwt-error when there is no key", async () => {
  const none = secretsOf({});
  const token = await signer.sign("at+jwt", claims);
  await expect(new JwtSigner({ secrets: none, clock }).sign("at+jwt", claims)).rejects.toThrow(
    expect.objectContaining({ error: "jwt-error" }),
  );
  await expect(new JwtVerifier({ secrets: none, settings, clock }).verifyAccess(token)).rejects.toThrow(
    expect.objectContaining({ error: "jwt-error" }),
  );
});
