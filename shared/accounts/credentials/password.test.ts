import { describe, expect, it } from "vitest";
import { scryptTag } from "./key-derivation.ts";
import { type HashingOptions, hashPassword, isRehashDue, markImported, verifyPassword } from "./password.ts";

const scrypt: HashingOptions = { algorithm: "scrypt", logCost: 10, blockSize: 8, parallelism: 1 };
const argon2id: HashingOptions = { algorithm: "argon2id", iterations: 1, memory: 64, parallelism: 1 };

describe.each([
  ["scrypt", scrypt, /^\$scrypt\$ln=10,r=8,p=1\$[\w+/]{43}\$[\w+/]{86}$/],
  ["argon2id", argon2id, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[\w+/]{22}\$[\w+/]{22}$/],
] as const)("a password hash by %s", (_, options, phcString) => {
  it("a hash is a PHC string with a salt of its own", async () => {
    const [one, other] = await Promise.all([
      hashPassword("secret", options),
      hashPassword("secret", options),
    ]);
    expect(one).toMatch(phcString);
    expect(other).not.toBe(one);
  });

  it("a hash matches its password and no other", async () => {
    const hash = await hashPassword("sécret", options);
    expect(await verifyPassword("sécret", hash)).toBe(true);
    expect(await verifyPassword("secret", hash)).toBe(false);
    expect(await verifyPassword("", hash)).toBe(false);
  });
});

describe("a password", () => {
  const typed = "gru\u0308ne A\u030Apfel\u00A0한글".normalize("NFD");
  const prepared = "grüne Åpfel 한글".normalize("NFC");

  it.each([
    ["composed, with plain spaces", typed, prepared],
    ["decomposed, with other spaces", prepared, typed],
  ])("is accepted when it is typed %s", async (_, stored, tried) => {
    expect(await verifyPassword(tried, await hashPassword(stored, scrypt))).toBe(true);
  });

  it("is accepted by a hash of the typed text, as earlier versions and other systems make it", async () => {
    const salt = Buffer.from("c2FsdHNhbHRzYWx0c2FsdA==", "base64");
    const tag = await scryptTag(typed, salt, 64, { logCost: 10, blockSize: 8, parallelism: 1 });
    const [encodedSalt, encodedTag] = [salt, tag].map((bytes) =>
      bytes.toString("base64").replaceAll("=", ""),
    );
    const hash = `$scrypt$ln=10,r=8,p=1$${encodedSalt}$${encodedTag}`;
    expect(await verifyPassword(typed, hash)).toBe(true);
    expect(await verifyPassword(typed, markImported(hash))).toBe(true);
    expect(await verifyPassword(`${typed}!`, hash)).toBe(false);
  });

  it("is wrong in another case or width", async () => {
    const hash = await hashPassword("Åpfel 1", scrypt);
    expect(await verifyPassword("åpfel 1", hash)).toBe(false);
    expect(await verifyPassword("Åpfel \uFF11", hash)).toBe(false);
  });
});

it("a hash with a known scrypt vector is verified (RFC 7914 section 12)", async () => {
  const salt = Buffer.from("NaCl").toString("base64").replaceAll("=", "");
  const tag = Buffer.from(
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
    "hex",
  ).toString("base64");
  expect(await verifyPassword("password", `$scrypt$ln=10,r=8,p=16$${salt}$${tag.replaceAll("=", "")}`)).toBe(
    true,
  );
});

it("a hash is due for a rehash only from scrypt to argon2id", async () => {
  const [old, current] = await Promise.all([
    hashPassword("secret", scrypt),
    hashPassword("secret", argon2id),
  ]);
  expect(isRehashDue(old, argon2id)).toBe(true);
  expect(isRehashDue(old, scrypt)).toBe(false);
  expect(isRehashDue(current, scrypt)).toBe(false);
  expect(isRehashDue(current, { ...argon2id, iterations: 3 })).toBe(false);
});
