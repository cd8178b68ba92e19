import * as crypto from "node:crypto";
import { promisify } from "node:util";
import type { Settings } from "#shared/registry/settings.ts";

/**
 * Password hashes as PHC strings: `$scrypt$ln=14,r=8,p=5$salt$hash` and `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
 * A hash names its own algorithm and cost, so settings can change without touching stored ones.
 */
export type HashingOptions = Settings["setPasswordHashingOptions"];

const scryptAsync = promisify<crypto.BinaryLike, crypto.BinaryLike, number, crypto.ScryptOptions, Buffer>(
  crypto.scrypt,
);
const argon2Async = crypto.argon2 && promisify(crypto.argon2);

const scryptSizes = { salt: 32, tag: 64 };
const argon2Sizes = { salt: 16, tag: 16 };

/** Hashes a password with a new salt, as a PHC string. */
export async function hashPassword(password: string, options: HashingOptions): Promise<string> {
  if (options.algorithm === "scrypt") {
    const salt = crypto.randomBytes(scryptSizes.salt);
    const tag = await scryptTag(password, salt, scryptSizes.tag, options);
    return `$scrypt$ln=${options.logCost},r=${options.blockSize},p=${options.parallelism}$${encode(salt)}$${encode(tag)}`;
  }
  const salt = crypto.randomBytes(argon2Sizes.salt);
  const tag = await argon2Tag(password, salt, argon2Sizes.tag, options);
  return `$argon2id$v=19$m=${options.memory},t=${options.iterations},p=${options.parallelism}$${encode(salt)}$${encode(tag)}`;
}

/** Checks a password, comparing in constant time. @throws Error for a stored hash of unknown format */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const { options, salt, tag } = parseHash(hash);
  const actual =
    options.algorithm === "scrypt"
      ? await scryptTag(password, salt, tag.length, options)
      : await argon2Tag(password, salt, tag.length, options);
  return crypto.timingSafeEqual(actual, tag);
}

/** Takes as long as a check and never succeeds: hides that there is no account, or that it has no password. */
export async function verifyNothing(password: string, options: HashingOptions): Promise<false> {
  await hashPassword(password, options);
  return false;
}

/** Whether to replace a hash at a login that has just proved the password: only scrypt is replaced, by argon2id. */
export const isRehashDue = (hash: string, options: HashingOptions) =>
  options.algorithm === "argon2id" && hash.startsWith("$scrypt$");

function parseHash(hash: string): { options: HashingOptions; salt: Buffer; tag: Buffer } {
  const scrypt = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (scrypt) {
    const [, logCost, blockSize, parallelism, salt = "", tag = ""] = scrypt;
    return {
      options: {
        algorithm: "scrypt",
        logCost: Number(logCost),
        blockSize: Number(blockSize),
        parallelism: Number(parallelism),
      },
      salt: decode(salt),
      tag: decode(tag),
    };
  }
  const argon2 = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (argon2) {
    const [, memory, iterations, parallelism, salt = "", tag = ""] = argon2;
    return {
      options: {
        algorithm: "argon2id",
        memory: Number(memory),
        iterations: Number(iterations),
        parallelism: Number(parallelism),
      },
      salt: decode(salt),
      tag: decode(tag),
    };
  }
  throw new Error("Stored password hash has an unknown format");
}

function scryptTag(
  password: string,
  salt: Buffer,
  length: number,
  { logCost, blockSize, parallelism }: Extract<HashingOptions, { algorithm: "scrypt" }>,
): Promise<Buffer> {
  const N = 2 ** logCost;
  // Node refuses more than 32 MiB unless told otherwise.
  const maxmem = 256 * N * blockSize;
  return scryptAsync(password, salt, length, { N, r: blockSize, p: parallelism, maxmem });
}

async function argon2Tag(
  password: string,
  nonce: Buffer,
  tagLength: number,
  { memory, iterations, parallelism }: Extract<HashingOptions, { algorithm: "argon2id" }>,
): Promise<Buffer> {
  if (argon2Async === undefined) throw new Error("This Node version has no argon2; configure scrypt");
  const message = Buffer.from(password);
  return argon2Async("argon2id", { message, nonce, parallelism, tagLength, memory, passes: iterations });
}

const encode = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
const decode = (text: string) => Buffer.from(text, "base64");
