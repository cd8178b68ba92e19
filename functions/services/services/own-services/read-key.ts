import { ApiError } from "#shared/platform/http/api-error.ts";
import { parseRsaKey, rsaFingerprint } from "#shared/platform/outbound/rsa-key.ts";
import type { Service } from "#shared/services/service.ts";

/** Reads the public key of a service. @throws ApiError `invalid-service-key` unless it is RSA of 2048 bits or more */
export function readKey(pem: string): Service["keys"][number] {
  const key = parseRsaKey(pem);
  const fingerprint = key && rsaFingerprint(key);
  const bits = key?.asymmetricKeyDetails?.modulusLength;
  if (fingerprint === undefined || bits === undefined) throw new ApiError("invalid-service-key");
  return { pem, bits, fingerprint };
}
