import { randomInt, randomUUID } from "node:crypto";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { entranceHeaders } from "#shared/platform/http/entrance.ts";
import type { ApiAnswer } from "./api.ts";
import type { OwnStack } from "./own-stack.ts";

let networks = randomInt(2 ** 24);

/** An address in a network that no other test uses. */
export function newNetwork(): string {
  networks = (networks + 1) % 2 ** 24;
  return `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`;
}

/** Addresses in that many /64 networks of one /48 that no other test uses. */
export function newSite(networks: number): string[] {
  const site = `2001:${randomInt(0x1_0000).toString(16)}:${randomInt(0x1_0000).toString(16)}`;
  return Array.from({ length: networks }, (_, index) => `${site}:${(index + 1).toString(16)}::1`);
}

/**
 * Send a request with a JSON body from an address: directly to the function, because the gateway sees only one machine.
 */
export async function sendFrom(
  address: string,
  { entranceSecret, invoke }: Pick<OwnStack, "entranceSecret" | "invoke">,
  [family, method, path]: readonly [string, string, string],
  json: unknown,
): Promise<Pick<ApiAnswer, "status" | "body"> & { retryAfterSeconds: number }> {
  const result = (await invoke(family, {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    headers: {
      "content-type": "application/json",
      [entranceHeaders.secret]: entranceSecret,
      [entranceHeaders.viewer]: address,
    },
    requestContext: { requestId: randomUUID(), http: { method, path, sourceIp: "127.0.0.1", userAgent: "" } },
    body: JSON.stringify(json),
    isBase64Encoded: false,
  })) as APIGatewayProxyStructuredResultV2;
  const { statusCode = 0, headers = {}, body } = result;
  const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === "retry-after")?.[1];
  return {
    status: statusCode,
    body: body ? JSON.parse(body) : "",
    retryAfterSeconds: Number(retryAfter),
  };
}
