import { type KeyObject, randomBytes, sign } from "node:crypto";

/** One value in DER (X.690): tag, length, content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const utcTime = (text: string) => der(0x17, Buffer.from(text));
const ed25519 = sequence(der(0x06, Buffer.from("2b6570", "hex")));
const subjectAltName = der(0x06, Buffer.from("551d11", "hex"));

/**
 * Create a certificate in DER whose subject has only these names (RFC 5280 §4.1).
 * @param issuer Ed25519 private key
 */
export function newCertificate(
  publicKey: KeyObject,
  issuer: KeyObject,
  { uris = [], dnsNames = [] }: { uris?: readonly string[]; dnsNames?: readonly string[] },
): Buffer {
  const names = sequence(
    ...dnsNames.map((name) => der(0x82, Buffer.from(name))),
    ...uris.map((uri) => der(0x86, Buffer.from(uri))),
  );
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    ed25519,
    sequence(),
    sequence(utcTime("240101000000Z"), utcTime("490101000000Z")),
    sequence(),
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, names)))),
  );
  return sequence(content, ed25519, der(0x03, Buffer.of(0), sign(null, content, issuer)));
}
