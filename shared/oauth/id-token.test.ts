import { expect, it } from "vitest";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { newSigningKeySet, verificationKeysOf } from "#shared/sessions/tokens/signing-keys.ts";
import { readIdTokenHint, signIdToken } from "./id-token.ts";

const nowSeconds = 2_000_000_000;
const keys = newSigningKeySet();
const published = verificationKeysOf(keys, { keys: [] }, nowSeconds - 10_000);
const secrets = {
  get: async (name: string, parse: (text: string) => unknown) =>
    parse(JSON.stringify(name === "signing-keys" ? keys : published)),
} as unknown as SecretReader;

const depsOf = (setOAuthOpenIdAlgorithm: "EdDSA" | "ES256") => ({
  clock: () => nowSeconds * 1000,
  config: { publicUrl: "https://api.example.com" },
  secrets,
  settings: parseSettings({ domain: "example.com", setOAuthOpenIdAlgorithm }),
});

const login = {
  userId: "2ff7b8a5-5b2c-4a4c-9b3a-0d7b3a1f3c11",
  clientId: "6f1ed002-ab5b-4c5c-8a3a-3f3c110d7b3a",
};

/** The same token with fields of its header replaced. */
function withHeader(token: string, fields: object): string {
  const [header = "", ...rest] = token.split(".");
  const changed = { ...JSON.parse(Buffer.from(header, "base64url").toString()), ...fields };
  return [Buffer.from(JSON.stringify(changed)).toString("base64url"), ...rest].join(".");
}

it.each(["EdDSA", "ES256"] as const)(
  "is a hint of who was signed in to which app, by %s",
  async (algorithm) => {
    const deps = depsOf(algorithm);
    expect(await readIdTokenHint(deps, await signIdToken(deps, login))).toEqual(login);
  },
);

it.each([
  ["a key of another algorithm", { kid: "1-ES256" }],
  ["another algorithm than that of its key", { alg: "ES256" }],
  ["no key", { kid: undefined }],
  ["a key that there is not", { kid: "2" }],
  ["a key whose name is no text", { kid: 1 }],
  ["another type", { typ: "at+jwt" }],
  ["an extension that nobody knows", { crit: ["b64"], b64: false }],
])("an id token is no hint if it names %s", async (_, fields) => {
  const deps = depsOf("EdDSA");
  const token = withHeader(await signIdToken(deps, login), fields);
  expect(await readIdTokenHint(deps, token)).toBeUndefined();
});
