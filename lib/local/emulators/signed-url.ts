import type { IncomingHttpHeaders } from "node:http";
import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";

/** Looks up the secret of an access key; undefined for an unknown key. */
export type SecretOf = (accessKeyId: string) => string | undefined;

/** The answer of S3 to a request that it refuses. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly url: string;
}

/** Time by which S3 allows the clock of a signer to be ahead. */
const toleranceMilliseconds = 15 * 60_000;
const weekSeconds = 604_800;

const denied = (message: string): Refusal => ({ status: 403, code: "AccessDenied", message });

/** Parameters that the signer adds. */
const added = new Set([
  "X-Amz-Algorithm",
  "X-Amz-Content-Sha256",
  "X-Amz-Credential",
  "X-Amz-Date",
  "X-Amz-Expires",
  "X-Amz-Security-Token",
  "X-Amz-Signature",
  "X-Amz-SignedHeaders",
]);

/**
 * Check an address that was signed for S3: that it was not changed, and is still valid. S3 does so, but its emulator
 * does not.
 * @returns undefined if it is valid
 */
export async function describeBadSignature(
  { headers, method, url }: SignedRequest,
  secretOf: SecretOf,
): Promise<Refusal | undefined> {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const parameter = (name: string) => searchParams.get(`X-Amz-${name}`) ?? "";
  if (parameter("Signature") === "") return denied("Access Denied");
  if (headers.authorization !== undefined)
    return { status: 400, code: "InvalidArgument", message: "Only one auth mechanism allowed" };

  const [accessKeyId = "", day, region = "", service, end] = parameter("Credential").split("/");
  const signedAt = parseDate(parameter("Date"));
  const expiresIn = Number(parameter("Expires"));
  const isWellFormed =
    parameter("Algorithm") === "AWS4-HMAC-SHA256" &&
    service === "s3" &&
    end === "aws4_request" &&
    day === parameter("Date").slice(0, 8) &&
    expiresIn > 0 &&
    expiresIn <= weekSeconds;
  if (!isWellFormed || signedAt === undefined)
    return {
      status: 400,
      code: "AuthorizationQueryParametersError",
      message: "Error parsing the parameters",
    };
  const secretAccessKey = secretOf(accessKeyId);
  if (secretAccessKey === undefined)
    return { status: 403, code: "InvalidAccessKeyId", message: "The access key does not exist" };
  if (signedAt.getTime() > Date.now() + toleranceMilliseconds) return denied("Request is not valid yet");
  if (signedAt.getTime() + 1000 * expiresIn < Date.now()) return denied("Request has expired");

  const sessionToken = searchParams.get("X-Amz-Security-Token") ?? undefined;
  const signer = new SignatureV4({
    service,
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Hash.bind(null, "sha256"),
    uriEscapePath: false,
    applyChecksum: false,
  });
  const names = parameter("SignedHeaders").split(";");
  const signedHeaders = names.map((name): [string, string] => [name, String(headers[name] ?? "")]);
  const { query = {} } = await signer.presign(
    {
      method,
      protocol: "http:",
      hostname: "localhost",
      path: pathname,
      query: Object.fromEntries([...searchParams].filter(([name]) => !added.has(name))),
      headers: { ...Object.fromEntries(signedHeaders), "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD" },
    },
    { signingDate: signedAt, expiresIn },
  );
  if (names.includes("host") && isSameSecret(parameter("Signature"), String(query["X-Amz-Signature"])))
    return undefined;
  return { status: 403, code: "SignatureDoesNotMatch", message: "The signature does not match the request" };
}

/** Parses `20260131T120000Z`. */
function parseDate(text: string): Date | undefined {
  const date = new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  return Number.isNaN(date.getTime()) ? undefined : date;
}
