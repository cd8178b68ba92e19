import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

/** Statements of operators' commands. */
const statementKinds = ["audit-export", "erasure"] as const;

const statementPath = z.object({
  kind: z.enum(statementKinds).meta({ description: "What it is" }),
  sha256: z
    .string()
    .regex(/^[\da-f]{64}$/)
    .meta({ description: "SHA-256 of the content, in hexadecimal digits" }),
});

const signature = z
  .object({
    signature: z.string().meta({
      description: "JSON Web Token of the type `statement+jwt` with `kind`, `sha256`, `iss` and `iat`",
    }),
  })
  .meta({ id: "StatementSignature" });

const statementKeys = z
  .object({
    keys: z.array(
      z.object({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: z.string(), kid: z.string() }),
    ),
  })
  .meta({ id: "StatementKeys", description: "See RFC 7517 §5; also keys that sign no longer" });

export const routes = defineRoutes({
  "i-sign-statement": {
    method: "GET",
    audit: { reads: "data.exported" },
    path: "/i/statements/{kind}/{sha256}",
    auth: "internal",
    summary: "Sign what an operator's command states",
    description:
      "The signature says that somebody who may call this has stated the content with this hash, and when; the audit trail " +
      "says who. It proves nothing else.",
    params: statementPath,
    responses: { 200: signature },
    errors: ["jwt-error"],
  },
  "i-list-statement-keys": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/statements/keys",
    auth: "internal",
    summary: "List the public keys with which statements were ever signed",
    responses: { 200: statementKeys },
    errors: [],
  },
});
