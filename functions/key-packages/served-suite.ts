import { ApiError } from "#shared/errors.ts";
import { type CipherSuite, cipherSuites } from "#shared/mls/cipher-suites.ts";

/** The cipher suite with a number. @throws ApiError `mls-protocol-error` when it is not served */
export function servedSuite(number: number): CipherSuite {
  const suite = cipherSuites.get(number);
  if (suite === undefined) {
    throw new ApiError("mls-protocol-error", { message: `Cipher suite ${number} is not served` });
  }
  return suite;
}
