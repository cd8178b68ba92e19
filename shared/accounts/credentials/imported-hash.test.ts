import { describe, expect, it } from "vitest";
import { parseImportedHash, UnusableHashError, verifyImportedHash } from "./imported-hash.ts";
import { isRehashDue, markImported, verifyPassword } from "./password.ts";

const salt = "c2FsdHNhbHRzYWx0c2FsdA";
const tag = Buffer.alloc(32, 1).toString("base64").replaceAll("=", "");

/** Made by passlib 1.7.4, argon2-cffi and bcrypt of Python. */
const made = {
  "PBKDF2 with SHA-256":
    "$pbkdf2-sha256$1000$c2FsdHNhbHRzYWx0c2FsdA$FNKALGkylanWsWxPVkV2waIvmkRYhgOcf4oYvJgJOw0",
  "PBKDF2 with SHA-256 and named parameters":
    "$pbkdf2-sha256$i=1000,l=32$c2FsdHNhbHRzYWx0c2FsdA$FNKALGkylanWsWxPVkV2waIvmkRYhgOcf4oYvJgJOw0",
  "PBKDF2 with SHA-512":
    "$pbkdf2-sha512$1000$.//.c2FsdHNhbHRzYWx0$8WNgyKwlVkblzDZbLSu8szphx.HApDLfd4O0sfajUH.Hhlu4LMCuMIeo4X9iBMvHcA7S85m3.5nf2YgV11eugA",
  "PBKDF2 with SHA-1": "$pbkdf2$1000$c2FsdHNhbHRzYWx0c2FsdA$fBZup0tScP3aWCq.iLjFLk2v.Ks",
  scrypt: "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$+bjgutqFyoyQ1Y+Gm7Y/c92ZV60XhyZxRKDRUW9xPgk",
  argon2id: "$argon2id$v=19$m=64,t=1,p=2$j1vms351b1nU2Uk+VpwLuQ$cC815nUom+rc51GGZBPbLVT5ng/6UgGN0aY6xLqXJcU",
  bcrypt: "$2b$04$1ErXH1vO0qEyHJOqVuZZzOdGiN1XxIIW8La9G091JrYjRA7rnclFq",
  "bcrypt of version 2y": "$2y$04$1ErXH1vO0qEyHJOqVuZZzOdGiN1XxIIW8La9G091JrYjRA7rnclFq",
};

describe("an imported hash", () => {
  it.each(Object.entries(made))("of %s matches its password and no other", async (_, hash) => {
    const stored = markImported(hash);
    expect(await verifyPassword("sécret password", stored)).toBe(true);
    expect(await verifyPassword("secret password", stored)).toBe(false);
    expect(await verifyPassword("", stored)).toBe(false);
  });

  it("agrees with the last vector of RFC 6070 for PBKDF2 with a long salt", async () => {
    const phc = [
      "",
      "pbkdf2-sha1",
      "i=4096,l=25",
      Buffer.from("saltSALTsaltSALTsaltSALTsaltSALTsalt").toString("base64"),
      Buffer.from("3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038", "hex").toString("base64"),
    ].join("$");
    expect(await verifyImportedHash("passwordPASSWORDpassword", phc)).toBe(true);
    expect(await verifyImportedHash("passwordPASSWORDpassworD", phc)).toBe(false);
  });

  it("of PBKDF2 costs one block of output, even if it is longer", async () => {
    // hashlib.pbkdf2_hmac("sha1", b"password", b"saltsaltsaltsalt", 1000, 64) of Python
    const phc = `$pbkdf2$i=1000$${salt}$2FWw/oC7TQkskizC+81lWlmFAMPzfuUU9jSdPALS95LIy5o7zcHjeb3ORZKEwmJExRHQSJFFjLR62Rvm9lmvBw==`;
    expect(await verifyImportedHash("password", phc)).toBe(true);
    expect(await verifyImportedHash("passwort", phc)).toBe(false);
    expect(() => parseImportedHash(phc.replace("i=1000", "i=1300000"))).not.toThrow();
  });

  it("of bcrypt reads 72 bytes of a password, like the original system", async () => {
    const hash = "$2a$04$IXKmL1iyQyiKej/sikDj0euq.ebT1LXLGUiZ2bhopws2St5jbI5A.";
    expect(await verifyImportedHash("a".repeat(72), hash)).toBe(true);
    expect(await verifyImportedHash("a".repeat(71), hash)).toBe(false);
  });

  it("is always due for a rehash", () => {
    for (const hash of Object.values(made)) {
      expect(
        isRehashDue(markImported(hash), { algorithm: "scrypt", logCost: 14, blockSize: 8, parallelism: 5 }),
      ).toBe(true);
    }
  });

  it.each([
    ["nothing", ""],
    ["a password", "correct horse"],
    ["an algorithm that is none", `$md5$i=1$${salt}$${tag}`],
    ["a name that objects inherit", `$constructor$i=1$${salt}$${tag}`],
    ["argon2i", `$argon2i$v=19$m=64,t=1,p=1$${salt}$${tag}`],
    ["an old version of argon2id", `$argon2id$v=16$m=64,t=1,p=1$${salt}$${tag}`],
    ["no hash, which would equal every other", `$argon2id$v=19$m=64,t=1,p=1$${salt}$`],
    ["a hash of 2 bytes", `$pbkdf2-sha256$i=1000$${salt}$AAA`],
    ["a hash that is not base64", `$pbkdf2-sha256$i=1000$${salt}$${"!".repeat(43)}`],
    ["no salt", `$scrypt$ln=4,r=8,p=1$$${tag}`],
    ["a text that is too long", `$pbkdf2-sha256$i=1000$${salt}$${"A".repeat(600)}`],
    ["minutes of scrypt", `$scrypt$ln=16,r=8,p=16$${salt}$${tag}`],
    ["gigabytes of scrypt", `$scrypt$ln=20,r=8,p=1$${salt}$${tag}`],
    ["no scrypt", `$scrypt$ln=0,r=8,p=1$${salt}$${tag}`],
    ["gigabytes of argon2id", `$argon2id$v=19$m=4194304,t=1,p=1$${salt}$${tag}`],
    ["minutes of argon2id", `$argon2id$v=19$m=65536,t=999999999,p=1$${salt}$${tag}`],
    ["too little memory for the lanes of argon2id", `$argon2id$v=19$m=8,t=1,p=4$${salt}$${tag}`],
    ["minutes of PBKDF2", `$pbkdf2-sha512$i=999999999$${salt}$${tag}`],
    ["no iteration", `$pbkdf2-sha512$i=0$${salt}$${tag}`],
    ["a number with an exponent", `$pbkdf2-sha512$i=1e3$${salt}$${tag}`],
    ["a length other than that of the hash", `$pbkdf2-sha256$i=1000,l=64$${salt}$${tag}`],
    ["a parameter twice", `$pbkdf2-sha256$i=1,i=1000$${salt}$${tag}`],
    ["one more field", `$pbkdf2-sha256$i=1000$x$${salt}$${tag}`],
    ["hours of bcrypt", "$2b$31$1ErXH1vO0qEyHJOqVuZZzOdGiN1XxIIW8La9G091JrYjRA7rnclFq"],
    ["half of bcrypt", "$2b$04$1ErXH1vO0qEyHJOqVuZZzO"],
    [
      "a version of bcrypt with another algorithm",
      "$2x$04$1ErXH1vO0qEyHJOqVuZZzOdGiN1XxIIW8La9G091JrYjRA7rnclFq",
    ],
  ])("is refused with %s", (_, hash) => {
    expect(() => parseImportedHash(hash)).toThrow(UnusableHashError);
  });
});
