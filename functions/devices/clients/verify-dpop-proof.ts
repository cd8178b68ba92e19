import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTVerifyResult, jwtVerify } from "jose";
import * as z from "zod";
import { withCanonicalDeviceId } from "#shared/devices/mls/credential-identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { canonicalDeviceId } from "#shared/platform/http/device-id.ts";

/** Algorithms of MLS signature keys. */
const algorithms = ["EdDSA", "Ed25519", "ES256", "ES384", "ES512"];

/** How far the clock of a device may be off. */
const toleranceSeconds = 60;

const proofClaims = z.object({
  htm: z.string(),
  htu: z.string(),
  jti: z.string().min(1),
  iat: z.number(),
  exp: z.number(),
  nonce: z.string(),
  sub: z.string(),
  /** The certificate authority, and its challenge. */
  aud: z.string().optional(),
  chal: z.string().optional(),
  /** Claims of the device about its user. */
  handle: z.string().optional(),
  team: z.string().optional(),
  name: z.string().optional(),
});

/** The required content of a proof. */
export interface ExpectedProof {
  readonly nonce: string;
  readonly method: string;
  /** Address of the request, without query. */
  readonly uri: string;
  /** User and device, with its id in the canonical form. */
  readonly subject: string;
  /** Required values of the claims about the user, where present. */
  readonly user: Readonly<Record<"handle" | "team" | "name", string>>;
}

export interface VerifiedProof {
  readonly jwkThumbprint: string;
  readonly audience: string | undefined;
  readonly challenge: string | undefined;
}

/**
 * Check a proof by RFC 9449 §4.3, and that it is about this device.
 *
 * @param now unix milliseconds
 * @throws ApiError `client-token-…`
 */
export async function verifyDpopProof(
  proof: string,
  expected: ExpectedProof,
  now: number,
): Promise<VerifiedProof> {
  const { payload, protectedHeader } = await verifySignature(proof, now);
  const { data: claims, error } = proofClaims.safeParse(payload);
  if (claims === undefined) throw new ApiError("client-token-parse-error", { cause: error });
  if (claims.nonce !== expected.nonce) throw new ApiError("client-token-bad-nonce");
  if (claims.htm !== expected.method) throw new ApiError("client-token-bad-method");
  if (canonicalAddress(claims.htu) !== canonicalAddress(expected.uri))
    throw new ApiError("client-token-bad-uri");
  if (claims.iat > now / 1000 + toleranceSeconds) throw new ApiError("client-token-bad-time");
  if (withCanonicalDeviceId(claims.sub) !== expected.subject)
    throw new ApiError("client-token-bad-client-id");
  for (const name of ["handle", "team", "name"] as const) {
    const said = claims[name];
    if (said !== undefined && said !== expected.user[name])
      throw new ApiError("client-token-bad-client-id", { message: `The user has another ${name}` });
  }
  return {
    jwkThumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}),
    audience: claims.aud,
    challenge: claims.chal,
  };
}

async function verifySignature(proof: string, now: number): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(proof, EmbeddedJWK, {
      typ: "dpop+jwt",
      algorithms,
      currentDate: new Date(now),
      clockTolerance: toleranceSeconds,
      requiredClaims: ["exp"],
    });
  } catch (cause) {
    // Every other error is caused by the proof.
    throw new ApiError(failureOf(cause), { cause });
  }
}

function failureOf(cause: unknown) {
  if (cause instanceof errors.JWSSignatureVerificationFailed) return "client-token-bad-signature";
  const isTooEarly =
    cause instanceof errors.JWTClaimValidationFailed &&
    cause.claim === "nbf" &&
    cause.reason === "check_failed";
  if (cause instanceof errors.JWTExpired || isTooEarly) return "client-token-bad-time";
  return "client-token-parse-error";
}

/** The address without its query, and with the device id in its canonical form. */
function canonicalAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  return url.origin + url.pathname.replace(/(?<=\/clients\/)[0-9a-f]+(?=\/)/i, canonicalDeviceId);
}
