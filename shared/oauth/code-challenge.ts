import * as z from "zod";

/** What method `S256` makes of a code verifier (RFC 7636 §4.2; the example is that of its appendix B). */
export const codeChallenge = z
  .string()
  .regex(/^[\w-]{43}$/, "an unpadded base64url SHA-256 digest")
  .meta({ examples: ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"] });
