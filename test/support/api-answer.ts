import { parseInt64Json } from "#shared/platform/int64.ts";
import { checkContract } from "./contract.ts";

/** Parts of a test's request besides method and path. */
export interface ApiRequest {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged; give the content type in `headers`. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  /** Access token. */
  readonly token?: string;
  /** Value of the `zuid` cookie. */
  readonly cookie?: string;
}

/** An answer of an API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, otherwise the text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  readonly body: any;
  /** The body as it arrived. */
  readonly bytes: Buffer;
  /** `Set-Cookie` header of the answer. */
  readonly setCookie: string | undefined;
  /** Value of the `zuid` cookie that the answer sets. */
  readonly cookie: string | undefined;
}

/** Status and label of an answer, such as `200` or `403 suspended`. */
export const outcome = ({ status, body }: Pick<ApiAnswer, "status" | "body">): string =>
  Object(body).label === undefined ? String(status) : `${status} ${body.label}`;

/** Sends a request to an API. */
export type Api = (method: string, path: string, request?: ApiRequest) => Promise<ApiAnswer>;

/** Paths whose answers show what workers have done. */
export const showsEffects = /\/(notifications|search|i\/index)(\/|$)/;

/** Body and headers of a request. */
export function contentOf({ json, body, headers, token, cookie }: ApiRequest): {
  content: ApiRequest["body"];
  headers: Record<string, string>;
} {
  const content = json === undefined ? body : JSON.stringify(json);
  return {
    content,
    headers: {
      ...(typeof content === "string" && { "content-type": "text/plain;charset=UTF-8" }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(content !== undefined && { "content-length": String(Buffer.byteLength(content)) }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(cookie !== undefined && { cookie: `zuid=${cookie}` }),
      ...lowerCased(headers),
    },
  };
}

/** Read an answer, and check it against the route tables. */
export function answerOf(
  method: string,
  path: string,
  { status, headers, bytes }: Pick<ApiAnswer, "status" | "headers" | "bytes">,
): ApiAnswer {
  const received = bytes.toString();
  const isJson = received !== "" && /^application\/(scim\+)?json/.test(headers.get("content-type") ?? "");
  const [setCookie] = headers.getSetCookie();
  const answer = {
    status,
    headers,
    body: isJson ? JSON.parse(received) : received,
    bytes,
    setCookie,
    cookie: setCookie && /^zuid=([^;]*)/.exec(setCookie)?.[1],
  };
  const body = isJson ? parseInt64Json(received, JSON.parse) : received;
  checkContract({ method, path, ...answer, body });
  return answer;
}

const lowerCased = (headers: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
