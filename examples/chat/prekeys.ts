import { encode } from "cborg";
import { toBase64 } from "./base64.ts";

const lastPrekeyId = 65_535;
const publicKey = () => new Map([[0, crypto.getRandomValues(new Uint8Array(32))]]);

/**
 * Create the last-resort prekey that the registration of a device requires, in the format of Proteus. It has no private
 * half, because this device speaks MLS only.
 */
export function newLastPrekey(): { id: number; key: string } {
  const bundle = new Map<number, unknown>([
    [0, 1],
    [1, lastPrekeyId],
    [2, publicKey()],
    [3, new Map([[0, publicKey()]])],
    [4, null],
  ]);
  return { id: lastPrekeyId, key: toBase64(encode(bundle)) };
}
