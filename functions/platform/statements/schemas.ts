import * as z from "zod";

/** Statements of operators' commands. */
const statementKinds = ["audit-export", "erasure"] as const;

export const statementPath = z.object({
  kind: z.enum(statementKinds).meta({ description: "What it is" }),
  sha256: z
    .string()
    .regex(/^[\da-f]{64}$/)
    .meta({ description: "SHA-256 of the content, in hexadecimal digits" }),
});

export const signature = z
  .object({
    signature: z.string().meta({
      description: "JSON Web Token of the type `statement+jwt` with `kind`, `sha256`, `iss` and `iat`",
    }),
  })
  .meta({ id: "StatementSignature" });

export const statementKeys = z
  .object({
    keys: z.array(
      z.object({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: z.string(), kid: z.string() }),
    ),
  })
  .meta({ id: "StatementKeys", description: "See RFC 7517 §5; also keys that sign no longer" });
