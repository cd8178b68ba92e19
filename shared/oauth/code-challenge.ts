import * as z from "zod";

/** A code challenge of the method `S256` (RFC 7636 §4.2; the example is from its appendix B). */
export const codeChallenge = z
  .string()
  .regex(/^[\w-]{43}$/, "an unpadded base64url SHA-256 digest")
  .meta({
    description: "SHA-256 of the code verifier in base64url without padding (RFC 7636 §4.2)",
    examples: ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"],
  });
