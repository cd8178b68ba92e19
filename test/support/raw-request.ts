import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { checkContract } from "./contract.ts";

const agent = new Agent({ keepAlive: true });

/** Send a request exactly as written, with paths and bodies that `fetch` would normalize or refuse. */
export async function rawRequest(
  baseUrl: string,
  method: string,
  target: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(baseUrl);
  const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sized = { ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) };
    const sending = request({ hostname, port, method, path: target, headers: sized, agent }, (response) => {
      text(response).then(
        (received) => resolve({ status: response.statusCode ?? 0, body: received }),
        reject,
      );
    });
    sending.on("error", reject).end(body);
  });
  const path = target.replace(/\?.*$/s, "");
  checkContract({ method, path, status: answer.status, body: parseJson(answer.body) });
  return answer;
}

/** A body as JSON, or as the text that it is. */
export function parseJson(received: string): unknown {
  try {
    return JSON.parse(received);
  } catch {
    return received;
  }
}
