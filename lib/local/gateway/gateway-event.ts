import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithIAMAuthorizer } from "aws-lambda";
import type { Audience, GatewayRoute } from "../../gateway-routes.ts";
import { isEntranceHeader } from "./entrance.ts";
import type { RequestHead } from "./request-head.ts";
import { decodePercent, type RequestPath } from "./request-path.ts";

export type GatewayEvent = APIGatewayProxyEventV2 | APIGatewayProxyEventV2WithIAMAuthorizer;

export interface Target {
  readonly path: string;
  /** Without question mark. */
  readonly query: string;
}

const account = "000000000000";

/** The caller that the internal API's IAM authorization would have found. */
const localPrincipal: APIGatewayProxyEventV2WithIAMAuthorizer["requestContext"]["authorizer"]["iam"] = {
  accessKey: "AKIALOCAL",
  accountId: account,
  callerId: "AIDALOCAL",
  cognitoIdentity: null,
  principalOrgId: "",
  userArn: `arn:aws:iam::${account}:user/local`,
  userId: "AIDALOCAL",
};

/** Headers that only concern client and gateway; cookies have their own field. */
const droppedHeaders = new Set([
  "connection",
  "cookie",
  "expect",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Content types whose bodies an HTTP API passes on as text if they are valid text; all others arrive in base64. */
const textType = /^\s*(text\/[^;]+|application\/(json|xml|javascript)|[^;]+\+(json|xml))\s*(;|$)/i;

/** Creates the event of an HTTP API (payload format 2.0) for a request. */
export function createEvent(
  request: RequestHead,
  {
    audience,
    path,
    query,
    addedHeaders,
    route,
    body,
    requestId,
    now,
  }: {
    audience: Audience;
    path: RequestPath;
    /** Without question mark. */
    query: string;
    /** Headers set by the entrance, if the request came through it; no client can set those. */
    addedHeaders: Readonly<Record<string, string>> | undefined;
    route: GatewayRoute;
    body: Buffer;
    requestId: string;
    now: number;
  },
): GatewayEvent {
  const method = request.method ?? "GET";
  const sourceIp = request.socket.remoteAddress ?? "127.0.0.1";
  const host = request.headers.host ?? "127.0.0.1";
  const routeKey = route.path === "$default" ? "$default" : `ANY ${route.path}`;
  const cookies = (request.headersDistinct.cookie ?? []).flatMap((line) =>
    line.split(/;\s*/).filter(Boolean),
  );
  const queryParameters = joinRepeatedParameters(new URLSearchParams(query));
  const pathParameters = parametersOf(route.path, path.routed);
  const isText =
    request.headers["content-encoding"] === undefined &&
    textType.test(request.headers["content-type"] ?? "") &&
    isUtf8(body);
  return {
    version: "2.0",
    routeKey,
    rawPath: path.raw,
    rawQueryString: query,
    ...(cookies.length > 0 && { cookies }),
    headers: {
      ...joinHeaders(request, host, addedHeaders),
      ...(body.length > 0 && { "content-length": String(body.length) }),
      "x-amzn-trace-id": traceId(now),
      "x-forwarded-for": [...(request.headersDistinct["x-forwarded-for"] ?? []), sourceIp].join(", "),
      "x-forwarded-port": String(request.socket.localPort ?? ""),
      "x-forwarded-proto": "http",
    },
    ...(queryParameters && { queryStringParameters: queryParameters }),
    ...(pathParameters && { pathParameters }),
    requestContext: {
      accountId: account,
      apiId: audience,
      ...(audience === "internal" && { authorizer: { iam: localPrincipal } }),
      domainName: host.replace(/:\d+$/, ""),
      domainPrefix: audience,
      http: {
        method,
        path: path.raw,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: request.headers["user-agent"] ?? "",
      },
      requestId,
      routeKey,
      stage: "$default",
      time: logTime(now),
      timeEpoch: now,
    },
    ...(body.length > 0 && { body: body.toString(isText ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Path and query as sent; undefined without a path, as in `OPTIONS *`. */
export function targetOf(url: string): Target | undefined {
  const relative = url.replace(/^https?:\/\/[^/?]*(?=[/?])/i, "");
  if (!relative.startsWith("/")) return undefined;
  const mark = relative.indexOf("?");
  return mark < 0
    ? { path: relative, query: "" }
    : { path: relative.slice(0, mark), query: relative.slice(mark + 1) };
}

function joinHeaders(
  request: RequestHead,
  host: string,
  added: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const headers = Object.entries(request.headersDistinct)
    .filter(([name]) => !droppedHeaders.has(name) && (added === undefined || !isEntranceHeader(name)))
    .map(([name, values = []]) => [name, values.join(",")]);
  return { host, ...Object.fromEntries(headers), ...added };
}

function joinRepeatedParameters(query: URLSearchParams): Record<string, string> | undefined {
  if (query.size === 0) return undefined;
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join(",")]));
}

function parametersOf(pattern: string, path: string): Record<string, string> | undefined {
  const segments = path.split("/");
  const parameters = pattern.split("/").flatMap((part, index) => {
    if (part === "{proxy+}") return [["proxy", decodePercent(segments.slice(index).join("/"))]];
    return part.startsWith("{") ? [[part.slice(1, -1), decodePercent(segments[index] ?? "")]] : [];
  });
  return parameters.length > 0 ? Object.fromEntries(parameters) : undefined;
}

/** Value of the header by which X-Ray traces a request. */
export const traceId = (now: number) =>
  `Root=1-${Math.floor(now / 1000).toString(16)}-${randomUUID().replaceAll("-", "").slice(-24)}`;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Format a time as in the events of API Gateway, such as `05/Feb/2026:07:08:09 +0000`. */
export function logTime(now: number): string {
  const [year, month, day] = new Date(now).toISOString().slice(0, 10).split("-");
  return `${day}/${months[Number(month) - 1]}/${year}:${new Date(now).toISOString().slice(11, 19)} +0000`;
}
