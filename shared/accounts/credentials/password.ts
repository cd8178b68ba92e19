import * as crypto from "node:crypto";
import { compose } from "#shared/platform/compose.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { argon2Tag, scryptTag } from "./key-derivation.ts";

/**
 * Password hashes as PHC strings: `$scrypt$ln=14,r=8,p=5$salt$hash` and `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. A
 * hash names its own algorithm and cost, so settings can change without touching stored ones. A hash of another system
 * is stored with a prefix until a login replaces it.
 */
export type HashingOptions = Settings["setPasswordHashingOptions"];

/** Prefix of a stored hash of another system; its PHC string follows. */
const importedMark = "imported";
/** Few users have such a hash, and only until their first login. */
const importedHashes = () => import("#shared/accounts/credentials/imported-hash.ts");

const scryptSizes = { salt: 32, tag: 64 };
const argon2Sizes = { salt: 16, tag: 16 };

/** Hashes a password with a new salt, as a PHC string. How a keyboard composes its letters does not matter. */
export async function hashPassword(text: string, options: HashingOptions): Promise<string> {
  const password = prepare(text);
  if (options.algorithm === "scrypt") {
    const salt = crypto.randomBytes(scryptSizes.salt);
    const tag = await scryptTag(password, salt, scryptSizes.tag, options);
    return `$scrypt$ln=${options.logCost},r=${options.blockSize},p=${options.parallelism}$${encode(salt)}$${encode(tag)}`;
  }
  const salt = crypto.randomBytes(argon2Sizes.salt);
  const tag = await argon2Tag(password, salt, argon2Sizes.tag, options);
  return `$argon2id$v=19$m=${options.memory},t=${options.iterations},p=${options.parallelism}$${encode(salt)}$${encode(tag)}`;
}

/** The stored form of a hash of another system; `parseImportedHash` must have accepted it. */
export const markImported = (phcString: string): string => importedMark + phcString;

/**
 * Checks a password, comparing in constant time. Hashes of other systems, and of versions that did not prepare
 * passwords, are of the password as it was typed.
 *
 * @throws Error for a stored hash of unknown format
 */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  for (const spelling of spellingsOf(password)) if (await verifySpelling(spelling, hash)) return true;
  return false;
}

async function verifySpelling(password: string, hash: string): Promise<boolean> {
  if (hash.startsWith(importedMark)) {
    const { verifyImportedHash } = await importedHashes();
    return verifyImportedHash(password, hash.slice(importedMark.length));
  }
  const { options, salt, tag } = parseHash(hash);
  const actual =
    options.algorithm === "scrypt"
      ? await scryptTag(password, salt, tag.length, options)
      : await argon2Tag(password, salt, tag.length, options);
  return crypto.timingSafeEqual(actual, tag);
}

/** Takes as long as a check and never succeeds: hides that there is no account, or that it has no password. */
export async function verifyNothing(password: string, options: HashingOptions): Promise<false> {
  for (const spelling of spellingsOf(password)) await hashPassword(spelling, options);
  return false;
}

/**
 * Whether to replace a hash after a successful login: a hash of another system always, one of our own only to go from
 * scrypt to argon2id.
 */
export const isRehashDue = (hash: string, options: HashingOptions) =>
  hash.startsWith(importedMark) || (options.algorithm === "argon2id" && hash.startsWith("$scrypt$"));

/** Prepares a password as `OpaqueString` (RFC 8265 section 4.2.2): any space is U+0020, letters are composed. */
const prepare = (password: string) => compose(password.replace(/\p{Zs}/gu, " "));

/** Nearly always one; there are two only if preparing changes the typed password. */
const spellingsOf = (password: string) => new Set([prepare(password), password]);

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

const encode = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
const decode = (text: string) => Buffer.from(text, "base64");
