import { createHash, createHmac, createSecretKey, type Hash, type Hmac } from "node:crypto";

/**
 * SHA-256 for the signatures of AWS calls, in place of the SDK's own: that passes keys as bytes, which Node 24 takes for a
 * `KeyObject` until two exceptions have told it otherwise. They cost seven times as much as the hash.
 */
export class SignatureHash {
  readonly digestLength = 32;
  readonly #start: () => Hash | Hmac;
  #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    if (secret === undefined) this.#start = () => createHash("sha256");
    else {
      const key = typeof secret === "string" ? secret : createSecretKey(toBytes(secret));
      this.#start = () => createHmac("sha256", key);
    }
    this.#hash = this.#start();
  }

  update(chunk: string | Uint8Array): void {
    this.#hash.update(chunk);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#start();
  }
}

const toBytes = (source: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
