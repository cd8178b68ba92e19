import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseRsaKey, rsaFingerprint } from "./rsa-key.ts";

const pem = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmAuWBKuFbMAyM/GOCp2m
wm4Y8JoogMT5MP8xzBODVKNoU3cdQOa5nQlNXhOUgYRSlZff/YpxTawU2ApgOu/r
NWWVyUhbiBAX53huwYZowyYxNCI2bCcLL0Buxgb+3OIS8d/nvsGY5ptnt+3U9Fb6
aNR5yoIBl/+U9vHm95p1X8G+zbIkldrx5fqo6KfolKl1z3Q2Li8AA+Yk9sDREtk0
ZD/C6ITPFQlrNhj4szxmP1gAw0j4LP6TGFUxhkendFm1VBdQs4z4nsEJnBMrmTD6
eoav8bArprTndmymDrDyTIhn0saAlgtbYtcgL9p7dhUL4LFdNWmABCorD93IUls9
iQIDAQAB
-----END PUBLIC KEY-----
`;
const spki = { format: "pem", type: "spki" } as const;

describe("the fingerprint of an RSA key", () => {
  it("is the hash of its size, modulus and exponent", () => {
    const key = parseRsaKey(pem);
    // Computed from the output of `openssl rsa -modulus` by another program.
    expect(key && rsaFingerprint(key)).toBe("L+D7HgCTfu4MBY+V52VfCidOV3U4Na+Fjh2/oQ1wN+E=");
  });

  it("exists for RSA only", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    expect(rsaFingerprint(publicKey)).toBeUndefined();
  });
});

describe("a text in PEM", () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });

  it("is read as a key even with white space around it", () => {
    expect(parseRsaKey(`\n${pem}\n`)).toBeDefined();
  });

  it.each([
    ["nothing", ""],
    ["two keys", pem + pem],
    ["a short key", publicKey.export(spki)],
    ["a private key", privateKey.export({ format: "pem", type: "pkcs8" })],
    ["a key in the form of PKCS #1", parseRsaKey(pem)?.export({ format: "pem", type: "pkcs1" }) ?? ""],
    ["an elliptic curve", generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export(spki)],
    ["a key for RSA-PSS", generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).publicKey.export(spki)],
    ["a truncated key", pem.replace(/iQIDAQAB\n/, "")],
    ["another kind of section", pem.replaceAll("PUBLIC KEY", "CERTIFICATE")],
  ])("is not read as a key when it is %s", (_case, text) => {
    expect(parseRsaKey(String(text))).toBeUndefined();
  });
});
