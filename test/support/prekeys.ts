import { randomBytes } from "node:crypto";
import { encode } from "cborg";
import { lastPrekeyId, type Prekey } from "#shared/data/device/prekey.ts";

/** A prekey bundle as Proteus writes it, with keys that are random bytes. */
export function newPrekey(id: number): Prekey {
  const publicKey = () => new Map([[0, randomBytes(32)]]);
  const bundle = new Map<number, unknown>([
    [0, 1],
    [1, id],
    [2, publicKey()],
    [3, new Map([[0, publicKey()]])],
    [4, null],
  ]);
  return { id, key: Buffer.from(encode(bundle)).toString("base64") };
}

/** With ids that follow one another. */
export const newPrekeys = (count: number, firstId = 0): Prekey[] =>
  Array.from({ length: count }, (_, index) => newPrekey(firstId + index));

export const lastPrekey = (): Prekey => newPrekey(lastPrekeyId);
