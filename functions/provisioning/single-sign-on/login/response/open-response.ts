import { type KeyObject, X509Certificate } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { XmlError } from "../../check-markup.ts";
import type { Attributes } from "./attributes.ts";
import {
  type Assertion,
  type FailureResponse,
  type Response,
  readResponse,
  readSignedAssertion,
} from "./read-response.ts";
import { SignatureError, verifyAssertion } from "./verify-assertion.ts";

/** A response that has been read, but not verified: it only claims to be from its issuer. */
export interface ClaimedResponse extends Response {
  readonly xml: string;
  /** Issuer of all assertions. */
  readonly issuer: string;
}

/**
 * Read the response that a browser has posted.
 *
 * @param samlResponse in base64
 * @throws ApiError `bad-response-saml`, `bad-response-xml`, `bad-response-issuers`
 */
export function openResponse(samlResponse: string | undefined): ClaimedResponse | FailureResponse {
  if (samlResponse === undefined) throw new ApiError("bad-response-saml", { cause: "no response" });
  const xml = decode(samlResponse);
  const read = readAnswer(xml);
  if (!("assertions" in read)) return read;
  const { issuer, ...response } = read;
  if (issuer === undefined) throw new ApiError("bad-response-saml", { cause: "no issuer" });
  if (response.assertions.some((assertion) => assertion.issuer !== issuer))
    throw new ApiError("bad-response-issuers");
  return { ...response, issuer, xml };
}

/** Characters that base64 does not have are skipped. @throws ApiError `bad-response-xml` */
function decode(samlResponse: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(samlResponse, "base64"));
  } catch (cause) {
    throw new ApiError("bad-response-xml", { cause });
  }
}

/** @throws ApiError `bad-response-xml` */
function readAnswer(xml: string): Response | FailureResponse {
  try {
    return readResponse(xml);
  } catch (cause) {
    if (cause instanceof XmlError) throw new ApiError("bad-response-xml", { cause });
    throw cause;
  }
}

/** The signed assertions. */
export interface VerifiedResponse {
  readonly assertions: readonly Assertion[];
  /** Values of the first assertion. */
  readonly attributes: Attributes;
}

/**
 * Verify all assertions of a response. Some identity providers indent the document after signing it, so verification is
 * also tried without the indentation.
 *
 * @returns the signed assertions
 * @throws ApiError `invalid-certificate`, `bad-response-saml`, `bad-response-signature`
 */
export function verifyResponse(
  { xml, assertions, elements }: ClaimedResponse,
  provider: Pick<IdentityProvider, "certificates">,
): VerifiedResponse {
  const keys = signingKeys(provider);
  if (assertions.some(({ id }) => id === undefined))
    throw new ApiError("bad-response-saml", { cause: "an assertion without id" });
  const verifyIn = (signedElements: readonly Element[]) => {
    const signed = signedElements.map((element) => readSignedAssertion(verifyAssertion(element, keys)));
    const signedAssertions = signed.map(({ assertion }) => assertion);
    if (!isDeepStrictEqual(signedAssertions, assertions)) throw new SignatureError("the signed texts differ");
    return { assertions: signedAssertions, attributes: signed[0]?.attributes ?? new Map() };
  };
  try {
    try {
      return verifyIn(elements);
    } catch (error) {
      const compact = xml.replaceAll("> <", "><");
      if (!(error instanceof SignatureError) || compact === xml) throw error;
      const read = readResponse(compact);
      return verifyIn("assertions" in read ? read.elements : []);
    }
  } catch (cause) {
    if (cause instanceof SignatureError || cause instanceof XmlError)
      throw new ApiError("bad-response-signature", { cause });
    throw cause;
  }
}

const sha256WithRsa = "1.2.840.113549.1.1.11";

/**
 * The certificates serve only as containers, so their validity does not matter.
 * @throws ApiError `invalid-certificate` when none of them can be used
 */
function signingKeys({ certificates }: Pick<IdentityProvider, "certificates">): KeyObject[] {
  const keys = certificates.flatMap((text) => {
    const { publicKey, signatureAlgorithmOid } = new X509Certificate(Buffer.from(text, "base64"));
    const isUsable = publicKey.asymmetricKeyType === "rsa" && signatureAlgorithmOid === sha256WithRsa;
    return isUsable ? [publicKey] : [];
  });
  if (keys.length === 0) throw new ApiError("invalid-certificate");
  return keys;
}
