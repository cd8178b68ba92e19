import { describe, expect, it } from "vitest";
import { codePurpose } from "./code.ts";
import { newNonce, VerificationCodes } from "./verification-code.ts";

const codesBy = (secret: string) => new VerificationCodes({ secrets: { text: async () => secret } });
const codes = codesBy("a secret");
const purposes = codePurpose.options;
const long = ["deletion", "provider-activation", "provider-password-reset"] as const;
const sixDigits = purposes.filter((purpose) => !(long as readonly string[]).includes(purpose));
const referenceOf = (purpose: (typeof purposes)[number], nonce = newNonce()) => ({
  purpose,
  codeKey: "some key",
  nonce,
});
const many = <const Purpose extends (typeof purposes)[number]>(purpose: Purpose) =>
  Promise.all(Array.from({ length: 300 }, () => codes.derive(referenceOf(purpose))));

describe("a verification code", () => {
  it.each(sixDigits)("for %s has six digits", async (purpose) => {
    for (const code of await many(purpose)) expect(code).toMatch(/^\d{6}$/);
  });

  it.each(long)("for %s has 20 characters of base64url", async (purpose) => {
    const found = await many(purpose);
    for (const code of found) expect(code).toMatch(/^[\w-]{20}$/);
    expect(new Set(found).size).toBe(found.length);
  });

  it.each(purposes)("for %s is equal only for an equal reference and secret", async (purpose) => {
    const reference = referenceOf(purpose);
    const code = await codes.derive(reference);
    expect(await codes.derive({ ...reference })).toBe(code);
    const others = [
      await codes.derive({ ...reference, nonce: newNonce() }),
      await codes.derive({ ...reference, codeKey: "another key" }),
      await codesBy("another secret").derive(reference),
    ];
    // Among a million codes, one may be equal by chance, but hardly all three.
    expect(others.every((other) => other === code)).toBe(false);
  });

  it.each(purposes)("for %s matches itself and nothing else", async (purpose) => {
    const reference = referenceOf(purpose, "fixed nonce");
    const code = await codes.derive(reference);
    expect(await codes.matches(reference, code)).toBe(true);
    for (const wrong of ["", code.slice(1), `${code} `, `${code}0`, code.replace(/.$/, "!"), "é".repeat(10)])
      expect(await codes.matches(reference, wrong)).toBe(false);
  });
});
