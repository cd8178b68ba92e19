import type { LoggedRequest } from "../../gateway/request-log.ts";
import type { LocalStack } from "../../stack.ts";

const timeoutMilliseconds = 30_000;

/** Headers of the connection, and those in which a browser names the page that sends a request. */
const dropped =
  /^(host|connection|content-length|expect|keep-alive|te|transfer-encoding|upgrade|origin|referer|sec-.*|accept-encoding)$/;

/** Send a request again, exactly as it came. @returns the id of the new one, if a function has answered it */
export async function repeatRequest(
  { publicUrl, internalUrl }: Pick<LocalStack, "publicUrl" | "internalUrl">,
  { api, method, exchange }: LoggedRequest,
): Promise<{ id: string | undefined; status: number }> {
  const { url = "/", headers = {}, body } = exchange ?? {};
  const kept = Object.entries(headers).filter(([name]) => !dropped.test(name));
  const hasBody = body?.content !== undefined && body.bytes > 0 && method !== "GET" && method !== "HEAD";
  const response = await fetch((api === "internal" ? internalUrl : publicUrl) + url, {
    method,
    headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
    ...(hasBody && { body: new Uint8Array(body.content ?? []) }),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  await response.arrayBuffer();
  return { id: response.headers.get("x-request-id") ?? undefined, status: response.status };
}
