import { createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** The files that a server needs for TLS, and the public key by which callers recognise it, all in PEM. */
export interface Identity {
  readonly privateKey: string;
  readonly publicKey: string;
  readonly certificate: string;
}

/** One value in DER (X.690): tag, length, content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.of(tag, 0x80 + size.length), size, content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const sha256WithRsa = sequence(oid("2a864886f70d01010b"), der(0x05));
const utcTime = (date: Date) => {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(digits.slice(2)));
};

/**
 * Generate an RSA key and a self-signed certificate (RFC 5280 §4.1). Callers that know the key need no certificate
 * authority. A real service keeps both between runs.
 */
export function newIdentity({ name: commonName = "echo-bot", validDays = 365 } = {}): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const now = Date.now();
  const name = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(commonName)))));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    sha256WithRsa,
    name,
    sequence(utcTime(new Date(now - 86_400_000)), utcTime(new Date(now + validDays * 86_400_000))),
    name,
    createPublicKey(publicKey).export({ format: "der", type: "spki" }),
  );
  const signature = sign("sha256", content, privateKey);
  const text = sequence(content, sha256WithRsa, der(0x03, Buffer.of(0), signature)).toString("base64");
  const lines = text.match(/.{1,64}/g)?.join("\n");
  const certificate = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  return { privateKey, publicKey, certificate };
}
