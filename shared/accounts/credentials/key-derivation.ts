import * as crypto from "node:crypto";
import { promisify } from "node:util";
import type { Settings } from "#shared/registry/settings.ts";

type Options = Settings["setPasswordHashingOptions"];
export type ScryptOptions = Omit<Extract<Options, { algorithm: "scrypt" }>, "algorithm">;
export type Argon2Options = Omit<Extract<Options, { algorithm: "argon2id" }>, "algorithm">;

const scryptAsync = promisify<crypto.BinaryLike, crypto.BinaryLike, number, crypto.ScryptOptions, Buffer>(
  crypto.scrypt,
);
const argon2Async = crypto.argon2 && promisify(crypto.argon2);

/** Derives `length` bytes by scrypt (RFC 7914). */
export function scryptTag(
  password: string,
  salt: Buffer,
  length: number,
  { logCost, blockSize, parallelism }: ScryptOptions,
): Promise<Buffer> {
  const N = 2 ** logCost;
  // Node refuses more than 32 MiB unless told otherwise.
  const maxmem = 256 * N * blockSize;
  return scryptAsync(password, salt, length, { N, r: blockSize, p: parallelism, maxmem });
}

/** Derives `tagLength` bytes by Argon2id (RFC 9106), with memory in KiB. @throws Error if Node has no Argon2 */
export async function argon2Tag(
  password: string,
  nonce: Buffer,
  tagLength: number,
  { memory, iterations, parallelism }: Argon2Options,
): Promise<Buffer> {
  if (argon2Async === undefined) throw new Error("This Node version has no argon2; configure scrypt");
  const message = Buffer.from(password);
  return argon2Async("argon2id", { message, nonce, parallelism, tagLength, memory, passes: iterations });
}
