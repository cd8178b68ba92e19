import { type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** Headers that the gateway sets itself. */
const ownHeaders = new Set(["connection", "content-length", "transfer-encoding"]);

/**
 * Turn a function's result into the response of an HTTP API (payload format 2.0); a result without `statusCode` becomes
 * the body of a 200.
 * @throws Error for a result that AWS would answer with 500
 */
export function toReply(result: unknown): Reply {
  if (!isStructured(result)) {
    const body = typeof result === "string" ? result : JSON.stringify(result ?? "");
    return {
      status: 200,
      headers: { "content-type": "application/json" },
      cookies: [],
      body: Buffer.from(body),
    };
  }
  const { statusCode, headers = {}, cookies = [], body = "", isBase64Encoded = false } = result;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599)
    throw new Error(`Bad statusCode ${statusCode}`);
  if (typeof body !== "string") throw new Error("The body of a result must be a string");
  const given = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    .filter(([name]) => !ownHeaders.has(name));
  for (const [name, value] of [...given, ...cookies.map((cookie) => ["set-cookie", cookie] as const)]) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return {
    status,
    headers: {
      ...(body !== "" && { "content-type": "text/plain;charset=UTF-8" }),
      ...Object.fromEntries(given),
    },
    cookies,
    body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8"),
  };
}

/** The gateway's own answer, in the format of API Gateway. */
export const errorReply = (status: number, message: string): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  cookies: [],
  body: Buffer.from(JSON.stringify({ message })),
});

export function sendReply(response: ServerResponse, { status, headers, cookies, body }: Reply): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  response.end(body);
}

const isStructured = (result: unknown): result is APIGatewayProxyStructuredResultV2 =>
  typeof result === "object" && result !== null && "statusCode" in result;
