import { createHash, randomBytes } from "node:crypto";
import { encode } from "cborg";
import { lastPrekeyId, type Prekey } from "#shared/devices/prekey.ts";

/** Create a prekey bundle in the format of Proteus, with random bytes as keys. */
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

/** Create prekeys with consecutive ids. */
export const newPrekeys = (count: number, firstId = 0): Prekey[] =>
  Array.from({ length: count }, (_, index) => newPrekey(firstId + index));

/** Create a last-resort prekey. */
export const lastPrekey = (): Prekey => newPrekey(lastPrekeyId);

/** Create a last-resort prekey whose device id, written with all 16 digits, would start with a zero and a letter. */
export function lastPrekeyOfShortId(): Prekey {
  for (;;) {
    const prekey = lastPrekey();
    if (/^0[a-f]/.test(createHash("sha256").update(prekey.key).digest("hex"))) return prekey;
  }
}
