import { signedFetch } from "#lib/signed-fetch.ts";
import type { Clients } from "./clients.ts";

interface ReadOptions extends Pick<Clients, "sts"> {
  readonly service: string;
  readonly region: string;
  /** Address used instead of AWS. */
  readonly endpoint: string | undefined;
}

/**
 * Read the answer of an AWS service at a path.
 * @throws Error with AWS's name of the error
 */
export async function readJson(
  path: string,
  { service, region, sts, endpoint = endpointOf(service, region) }: ReadOptions,
): Promise<Record<string, unknown>> {
  const credentials = await sts.config.credentials();
  const response = await signedFetch(new URL(path, endpoint), { service, region, credentials });
  const answer = await response.json();
  if (response.ok) return answer;
  const [name = ""] = (response.headers.get("x-amzn-errortype") ?? "").split(":");
  const message = answer.message ?? answer.Message ?? `status ${response.status}`;
  throw Object.assign(new Error(message), { name });
}

const endpointOf = (service: string, region: string) =>
  `https://${service}.${region}.${region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"}`;
