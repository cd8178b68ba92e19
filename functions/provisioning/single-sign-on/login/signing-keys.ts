import { type KeyObject, X509Certificate } from "node:crypto";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";

const sha256WithRsa = "1.2.840.113549.1.1.11";

/**
 * Read an identity provider's signing keys. Their certificates serve only as containers, so their validity does not
 * matter.
 * @throws ApiError `invalid-certificate` when none of them can be used
 */
export function signingKeys({ certificates }: Pick<IdentityProvider, "certificates">): KeyObject[] {
  const keys = certificates.flatMap((text) => {
    const { publicKey, signatureAlgorithmOid } = new X509Certificate(Buffer.from(text, "base64"));
    const isUsable = publicKey.asymmetricKeyType === "rsa" && signatureAlgorithmOid === sha256WithRsa;
    return isUsable ? [publicKey] : [];
  });
  if (keys.length === 0) throw new ApiError("invalid-certificate");
  return keys;
}
