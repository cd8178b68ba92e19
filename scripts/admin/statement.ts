import { createHash, createPublicKey, verify } from "node:crypto";
import * as z from "zod";
import { parseJson } from "#shared/platform/parse-json.ts";
import type { InternalApi } from "./internal-api.ts";

type Kind = "audit-export" | "erasure";

const hashOf = (content: object): string =>
  createHash("sha256").update(JSON.stringify(content)).digest("hex");

/** A statement of a command, with a signature of the installation at the end. */
export async function signed<Content extends object>(api: InternalApi, kind: Kind, content: Content) {
  const { signature } = await api.read(`/i/statements/${kind}/${hashOf(content)}`);
  return { ...content, signature: String(signature) };
}

const header = z.object({ alg: z.literal("EdDSA"), typ: z.literal("statement+jwt"), kid: z.string() });
const claims = z.object({ iss: z.string(), iat: z.number(), kind: z.string(), sha256: z.string() });

/** The signer of a statement, and the time. */
interface Signature {
  readonly signedBy: string;
  readonly signedAt: string;
}

/** @returns the problem with the signature of a statement, or its signer and time */
export async function verifySigned(
  api: InternalApi,
  kind: Kind,
  { signature, ...content }: Readonly<Record<string, unknown>>,
): Promise<Signature | { readonly problem: string }> {
  if (typeof signature !== "string") return { problem: "It has no signature" };
  const [head = "", body = "", tail = ""] = signature.split(".");
  const [stated, claimed] = [header.safeParse(decoded(head)), claims.safeParse(decoded(body))];
  if (!stated.success || !claimed.success) return { problem: "Its signature is of another kind" };
  const { keys }: { keys: readonly { kid: string }[] } = await api.read("/i/statements/keys");
  const jwk = keys.find(({ kid }) => kid === stated.data.kid);
  if (jwk === undefined) return { problem: "This installation has never had the key that has signed it" };
  const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
  if (!verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(tail, "base64url")))
    return { problem: "Its signature is forged" };
  const { iss, iat, kind: signedKind, sha256 } = claimed.data;
  if (signedKind !== kind || sha256 !== hashOf(content))
    return { problem: "It was changed after it was signed" };
  return { signedBy: iss, signedAt: new Date(iat * 1000).toISOString() };
}

function decoded(part: string): unknown {
  try {
    return parseJson(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
}
