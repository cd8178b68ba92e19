import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface SignedRequest {
  /** Name of the service in the signature. */
  readonly service: string;
  readonly region: string;
  readonly credentials: Credentials;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** By default, the 30 seconds of API Gateway; a function has 15. */
  readonly timeoutMilliseconds?: number;
}

/** `fetch` with a SigV4 signature, for services and APIs that the project has no SDK client for. */
export async function signedFetch(
  url: URL,
  {
    service,
    region,
    credentials,
    method = "GET",
    headers,
    body,
    timeoutMilliseconds = 30_000,
  }: SignedRequest,
): Promise<Response> {
  const signer = new SignatureV4({ service, region, credentials, sha256: Hash.bind(null, "sha256") });
  const signed = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, ...headers },
    body,
  });
  return fetch(url, {
    method,
    headers: signed.headers,
    body,
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
}
