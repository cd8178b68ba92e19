import { type CipherSuite, cipherSuites } from "#shared/devices/mls/cipher-suites.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";

/** Look up a cipher suite by its number. @throws ApiError `mls-protocol-error` when it is not served */
export function servedSuite(number: number): CipherSuite {
  const suite = cipherSuites.get(number);
  if (suite === undefined) {
    throw new ApiError("mls-protocol-error", { message: `Cipher suite ${number} is not served` });
  }
  return suite;
}
