import { randomBytes } from "node:crypto";

/** The keys that others need to encrypt for the bot's device. */
export interface Prekey {
  readonly id: number;
  /** base64 */
  readonly key: string;
}

const lastPrekeyId = 65_535;

/**
 * Create prekeys in the right format, but without private halves: nobody can encrypt for them, and nothing here
 * decrypts. A real bot takes them from its implementation of Proteus.
 */
export function newPrekeys(count: number): { prekeys: Prekey[]; last_prekey: Prekey } {
  const identity = randomBytes(32);
  const prekeys = Array.from({ length: count }, (_, id) => newPrekey(id, identity));
  return { prekeys, last_prekey: newPrekey(lastPrekeyId, identity) };
}

/** A map in CBOR (RFC 8949): version, id, prekey, identity key, no signature. */
function newPrekey(id: number, identity: Uint8Array): Prekey {
  const publicKey = (bytes: Uint8Array) => Buffer.concat([Buffer.from("a1005820", "hex"), bytes]);
  const number = Buffer.from([0x19, id >> 8, id & 0xff]);
  const parts = [
    Buffer.from("a5000101", "hex"),
    number,
    Buffer.of(0x02),
    publicKey(randomBytes(32)),
    Buffer.from("03a100", "hex"),
    publicKey(identity),
    Buffer.from("04f6", "hex"),
  ];
  return { id, key: Buffer.concat(parts).toString("base64") };
}
