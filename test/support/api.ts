import { Agent, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { checkContract } from "./contract.ts";
import { directApi } from "./direct-api.ts";
import { withEffects } from "./effects.ts";
import { sharedStack } from "./shared-stack.ts";

/** What a test sends in addition to method and path. */
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

/** What an API answered. */
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

// Closes idle connections long before the server would, which might happen just when a request is sent.
const agent = new Agent({ keepAlive: true, timeout: 10_000 });

/** Paths whose answers show what workers have done. */
export const showsEffects = /\/(notifications|search|i\/index)(\/|$)/;

/** Create a client for one base address, which checks every answer against the route tables. */
export const apiAt =
  (baseUrl: string): Api =>
  async (method, path, request = {}) => {
    const url = new URL(baseUrl + path);
    const { content, headers } = contentOf(request);
    const sent = () => send(url, method, content, headers);
    const response = await (showsEffects.test(url.pathname) ? withEffects(sent) : sent());
    return answerOf(method, url.pathname, {
      status: response.statusCode ?? 0,
      headers: headersOf(response),
      bytes: await buffer(response),
    });
  };

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
  const isJson = /^application\/(scim\+)?json/.test(headers.get("content-type") ?? "");
  const [setCookie] = headers.getSetCookie();
  const answer = {
    status,
    headers,
    body: isJson && received !== "" ? JSON.parse(received) : received,
    bytes,
    setCookie,
    cookie: setCookie && /^zuid=([^;]*)/.exec(setCookie)?.[1],
  };
  checkContract({ method, path, ...answer });
  return answer;
}

/** Uses `node:http`: `fetch` takes several times as long, and tests send tens of thousands of requests. */
const send = (url: URL, method: string, body: ApiRequest["body"], headers: Record<string, string>) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent }, resolve).on("error", reject).end(body);
  });

const lowerCased = (headers: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}

/** Public API of the shared stack, without HTTP. */
export const api: Api = (...request) => sharedApis().publicApi(...request);

/** Internal API of the shared stack, without HTTP. */
export const internalApi: Api = (...request) => sharedApis().internalApi(...request);

/** Public API of the shared stack over HTTP, for tests of what gateways do. */
export const httpApi: Api = (...request) => apiAt(sharedStack().publicUrl)(...request);

/** Internal API of the shared stack over HTTP. */
export const internalHttpApi: Api = (...request) => apiAt(sharedStack().internalUrl)(...request);

let shared: { publicApi: Api; internalApi: Api } | undefined;

function sharedApis() {
  shared ??= {
    publicApi: directApi(sharedStack(), "public").api,
    internalApi: directApi(sharedStack(), "internal").api,
  };
  return shared;
}
