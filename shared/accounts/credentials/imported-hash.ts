import * as crypto from "node:crypto";
import { promisify } from "node:util";
import { hash as bcryptHash } from "bcryptjs";
import { argon2Tag, scryptTag } from "./key-derivation.ts";

/**
 * Password hashes of other systems. Every number in them is bounded, because the author of an imported file decides how
 * much each login costs until the first one succeeds.
 */

const pbkdf2 = promisify(crypto.pbkdf2);

/** Longest string that is read at all. */
const maxLength = 512;
/** A shorter result could be guessed, and an empty one would equal every other. */
const tagBytes = { min: 16, max: 128 };
/** RFC 9106 and NIST SP 800-132 ask for 16; older systems have 8. */
const saltBytes = { min: 8, max: 64 };
/** KiB: memory of a function in addition to its own needs. */
const maxMemory = 65_536;
/** Each costs about a second of one core at most; all defaults of common systems are within these limits. */
const maxWork = {
  /** Blocks of 128 bytes: N·r·p. */
  scrypt: 2 ** 21,
  /** KiB times passes. */
  argon2id: 2 ** 18,
  /** Iterations. */
  pbkdf2: 2_000_000,
  /** Logarithm of rounds: each step takes twice as long. */
  bcrypt: 12,
};
const maxLanes = 16;

/** Bytes that one block of output has. */
const digests: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  pbkdf2: { name: "sha1", bytes: 20 },
  "pbkdf2-sha1": { name: "sha1", bytes: 20 },
  "pbkdf2-sha256": { name: "sha256", bytes: 32 },
  "pbkdf2-sha512": { name: "sha512", bytes: 64 },
};

/** The hash is of no known format, or would cost too much; the message says why, without the hash. */
export class UnusableHashError extends Error {
  override readonly name = "UnusableHashError";
}

/** A parsed hash: the expected bytes, and the function that derives them from a password. */
interface ImportedHash {
  readonly expected: Buffer;
  readonly derive: (password: string) => Promise<Buffer>;
}

/**
 * Parse a hash of scrypt, Argon2id, PBKDF2 (with SHA-1, SHA-256 or SHA-512) or bcrypt, as a PHC string or in the form
 * of crypt. Computes nothing.
 *
 * @throws UnusableHashError
 */
export function parseImportedHash(text: string): ImportedHash {
  if (text.length > maxLength) throw new UnusableHashError(`longer than ${maxLength} characters`);
  if (/^\$2[aby]\$/.test(text)) return parseBcrypt(text);
  const [empty, algorithm = "", ...fields] = text.split("$");
  if (empty !== "") throw new UnusableHashError("not a PHC string");
  const tag = decode(fields.pop(), "hash", tagBytes);
  const salt = decode(fields.pop(), "salt", saltBytes);
  if (algorithm === "scrypt") return parseScrypt(fields, salt, tag);
  if (algorithm === "argon2id") return parseArgon2(fields, salt, tag);
  const digest = Object.hasOwn(digests, algorithm) ? digests[algorithm] : undefined;
  if (digest !== undefined) return parsePbkdf2(fields, salt, tag, digest);
  throw new UnusableHashError("neither scrypt, argon2id, PBKDF2 nor bcrypt");
}

/** Checks a password, comparing in constant time. @throws UnusableHashError */
export async function verifyImportedHash(password: string, text: string): Promise<boolean> {
  const { expected, derive } = parseImportedHash(text);
  return crypto.timingSafeEqual(await derive(password), expected);
}

function parseScrypt(fields: readonly string[], salt: Buffer, expected: Buffer): ImportedHash {
  const { ln, r, p } = parameters(fields, ["ln", "r", "p"]);
  within("ln", ln, 1, 20);
  within("r", r, 1, 64);
  within("p", p, 1, maxLanes);
  const blocks = 2 ** ln * r;
  within("memory", blocks / 8, 0, maxMemory);
  within("cost", blocks * p, 0, maxWork.scrypt);
  const options = { logCost: ln, blockSize: r, parallelism: p };
  return { expected, derive: (password) => scryptTag(password, salt, expected.length, options) };
}

function parseArgon2([version, ...fields]: readonly string[], salt: Buffer, expected: Buffer): ImportedHash {
  if (version !== "v=19") throw new UnusableHashError("argon2id of another version than 19");
  const { m, t, p } = parameters(fields, ["m", "t", "p"]);
  within("p", p, 1, maxLanes);
  within("m", m, 8 * p, maxMemory);
  within("t", t, 1, maxWork.argon2id);
  within("cost", m * t, 0, maxWork.argon2id);
  const options = { memory: m, iterations: t, parallelism: p };
  return { expected, derive: (password) => argon2Tag(password, salt, expected.length, options) };
}

/** The parameters may be `i=29000`, `i=29000,l=32`, or only the number, as some libraries write it. */
function parsePbkdf2(
  fields: readonly string[],
  salt: Buffer,
  expected: Buffer,
  { name, bytes }: { readonly name: string; readonly bytes: number },
): ImportedHash {
  const [written = ""] = fields;
  const [count = "", length = `l=${expected.length}`] = written.replace(/^(?=\d)/, "i=").split(",");
  const { i, l } = parameters([`${count},${length}`, ...fields.slice(1)], ["i", "l"]);
  if (l !== expected.length) throw new UnusableHashError("l is not the length of the hash");
  within("i", i, 1, maxWork.pbkdf2);
  // Each block is made by all iterations (RFC 8018 5.2), so the first one alone proves the password.
  const block = expected.subarray(0, bytes);
  return { expected: block, derive: (password) => pbkdf2(password, salt, i, block.length, name) };
}

/** bcrypt reads 72 bytes of a password, and so does this. */
function parseBcrypt(text: string): ImportedHash {
  if (!/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text)) throw new UnusableHashError("not a bcrypt hash");
  within("cost", Number(text.slice(4, 6)), 4, maxWork.bcrypt);
  const setting = text.slice(0, 29);
  // The library knows no other version; for the passwords that it reads, all three are the same.
  const normalized = `$2b$${text.slice(4)}`;
  return {
    expected: Buffer.from(canonical(normalized)),
    derive: async (password) => Buffer.from(await bcryptHash(password, `$2b$${setting.slice(4)}`)),
  };
}

/** The last character of a salt has four bits that mean nothing, and that of a hash two. */
const alphabet = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
function canonical(text: string): string {
  const clear = (character: string | undefined, bits: number) => {
    const value = alphabet.indexOf(character ?? "");
    return alphabet[value - (value % 2 ** bits)];
  };
  return `${text.slice(0, 28)}${clear(text[28], 4)}${text.slice(29, 59)}${clear(text[59], 2)}`;
}

/** Reads `a=1,b=2`: exactly these names, in this order, with decimal numbers. @throws UnusableHashError */
function parameters<Name extends string>(
  fields: readonly string[],
  names: readonly Name[],
): Readonly<Record<Name, number>> {
  const pattern = new RegExp(`^${names.map((name) => `${name}=(\\d{1,9})`).join(",")}$`);
  const values = fields.length === 1 ? pattern.exec(fields[0] ?? "")?.slice(1) : undefined;
  if (values === undefined) throw new UnusableHashError(`parameters other than ${names.join(", ")}`);
  return Object.fromEntries(names.map((name, index) => [name, Number(values[index])])) as Record<
    Name,
    number
  >;
}

function within(name: string, value: number, min: number, max: number): void {
  if (value < min || value > max) throw new UnusableHashError(`${name} is not from ${min} to ${max}`);
}

/** Decodes base64, padded or not, also with `.` for `+`. @throws UnusableHashError */
function decode(text: string | undefined, name: string, { min, max }: { min: number; max: number }): Buffer {
  if (text === undefined || !/^[A-Za-z0-9+/.]+={0,2}$/.test(text))
    throw new UnusableHashError(`the ${name} is not base64`);
  const bytes = Buffer.from(text.replaceAll(".", "+"), "base64");
  if (bytes.length < min || bytes.length > max)
    throw new UnusableHashError(`the ${name} does not have ${min} to ${max} bytes`);
  return bytes;
}
