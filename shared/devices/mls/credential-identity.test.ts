import { KeyObject, randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { newCertificate } from "../../../test/support/certificate.ts";
import { newSigner } from "../../../test/support/key-packages.ts";
import { deviceNamedBy, isCredentialOf } from "./credential-identity.ts";

const device = {
  userId: "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  clientId: "c0ffee00c0ffee",
  domain: "example.com",
};
const identity = `${device.userId}:${device.clientId}@${device.domain}`;
const short = `P6hfZFcXRWKz_CyWP2avpg!${device.clientId}@${device.domain}`;
const issuer = newSigner();
const signer = newSigner();

const isBasic = (text: string) =>
  isCredentialOf({ type: "basic", identity: Buffer.from(text) }, device, signer.publicKey);
const isChain = (...certificates: Buffer[]) =>
  isCredentialOf({ type: "x509", certificates }, device, signer.publicKey);
const certificateOf = (names: Parameters<typeof newCertificate>[2], key = signer.publicKey) =>
  newCertificate(key, issuer.privateKey, names);

describe("a basic credential", () => {
  it("matches the device only with exactly its identity", () => {
    expect(isBasic(identity)).toBe(true);
    const others = [
      "",
      identity.toUpperCase(),
      `${identity} `,
      identity.slice(1),
      short,
      `app://${identity}`,
    ];
    expect(others.filter(isBasic)).toEqual([]);
    expect(isBasic(identity.replace("c0ffee", "c0ffe0"))).toBe(false);
    expect(isBasic(identity.replace("example.com", "example.org"))).toBe(false);
  });

  it("may pad the id of the device with zeros", () => {
    expect(isBasic(identity.replace("c0ffee", "00c0ffee"))).toBe(true);
    expect(isBasic(identity.replace("c0ffee00c0ffee", "00C0FFEE00C0FFEE"))).toBe(true);
    expect(isBasic(identity.replace("c0ffee", "10c0ffee"))).toBe(false);
  });
});

describe("a certificate", () => {
  it("matches the device when one of its URIs is the identity, in either form and with any scheme", () => {
    for (const uri of [
      identity,
      `app://${identity}`,
      `app://${short}`,
      `im+app://${short.replace("!", "%21")}`,
      `app://${short.replace("c0ffee", "00C0FFEE")}`,
    ])
      expect(isChain(certificateOf({ uris: [uri] }))).toBe(true);
    const among = certificateOf({
      uris: ["https://example.com", `app://${short}`],
      dnsNames: ["example.com"],
    });
    expect(isChain(among, certificateOf({}))).toBe(true);
  });

  it("does not match with another identity, without one, or with one in another field", () => {
    const names = [
      {},
      { uris: [`app://${identity}x`] },
      { uris: [`app://x${identity}`] },
      { uris: ["app://"] },
      { uris: [short.replace("P6h", "P6i")] },
      { dnsNames: [identity] },
      { dnsNames: [`x, URI:${identity}`] },
      { dnsNames: [`x, URI:${identity}, y`] },
      { uris: [`x", URI:${identity}, "`] },
    ];
    expect(names.filter((one) => isChain(certificateOf(one)))).toEqual([]);
  });

  it("does not match when it has more than a few names", () => {
    const uris = (count: number) => [...Array(count - 1).fill("a:b"), `app://${identity}`];
    expect(isChain(certificateOf({ uris: uris(16) }))).toBe(true);
    expect(isChain(certificateOf({ uris: uris(17) }))).toBe(false);
    expect(isChain(certificateOf({ uris: uris(9), dnsNames: Array(8).fill("example.com") }))).toBe(false);
  });

  it("is parsed once, even if it has many names", () => {
    const uris = Array.from({ length: 12 }, (_, index) => `app://${identity}${index}`);
    const bytes = certificateOf({ uris });
    // Called once for each parsed certificate.
    const comparison = vi.spyOn(KeyObject.prototype, "equals");
    const named = deviceNamedBy({ type: "x509", certificates: [bytes] }, signer.publicKey);
    expect(named).toEqual({ ...device, domain: `${device.domain}0` });
    expect(comparison).toHaveBeenCalledTimes(1);
    comparison.mockRestore();
  });

  it("does not match when it is larger than 16 KiB", () => {
    const padded = (bytes: number) =>
      isChain(certificateOf({ uris: [`app://${identity}`, `a:${"b".repeat(bytes)}`] }));
    expect(padded(15_000)).toBe(true);
    expect(padded(16_384)).toBe(false);
  });

  it("does not match when it follows another certificate", () => {
    expect(isChain(certificateOf({}), certificateOf({ uris: [identity] }))).toBe(false);
  });

  it("does not match with somebody else's key of any scheme", () => {
    for (const scheme of ["ed25519", "ecdsa_secp256r1_sha256"] as const)
      expect(isChain(certificateOf({ uris: [identity] }, newSigner(scheme).publicKey))).toBe(false);
  });

  it("does not match when it is malformed or not in DER", () => {
    const good = certificateOf({ uris: [identity] });
    const pem = `-----BEGIN CERTIFICATE-----\n${good.toString("base64")}\n-----END CERTIFICATE-----\n`;
    const bad = [
      Buffer.alloc(0),
      randomBytes(300),
      good.subarray(0, -1),
      Buffer.concat([good, Buffer.of(0)]),
    ];
    expect([...bad, Buffer.from(pem)].filter((bytes) => isChain(bytes))).toEqual([]);
    expect(isChain()).toBe(false);
  });

  it("never makes the check throw, even when it is damaged", () => {
    const good = certificateOf({ uris: [identity] });
    for (let position = 0; position < good.length; position++) {
      for (const value of [0, 0x30, 0x7f, 0xff]) {
        const damaged = Buffer.from(good);
        damaged[position] = value;
        isChain(damaged);
      }
    }
  });
});
