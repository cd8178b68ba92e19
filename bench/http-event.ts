import { type BenchRequest, bodyOf, typeOf } from "./api-client.ts";

/** A request as an HTTP API passes it to a function. */
export function httpEvent({ method, path, headers, ...content }: BenchRequest) {
  const { pathname, search } = new URL(path, "https://api.example.com");
  const { cookie, ...others } = headers ?? {};
  const body = bodyOf(content);
  return {
    version: "2.0",
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: { ...typeOf(content), ...others },
    ...(cookie !== undefined && { cookies: [cookie] }),
    requestContext: {
      domainName: "api.example.com",
      http: { method, path: pathname, sourceIp: "192.0.2.1" },
      requestId: "bench",
    },
    ...(body !== undefined && { body: Buffer.from(body).toString("base64"), isBase64Encoded: true }),
  };
}
