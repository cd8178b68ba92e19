import { inject } from "vitest";
import { checkContract } from "./contract.ts";

export interface ApiRequest {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is; give the content type in `headers`. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  /** Access token. */
  readonly token?: string;
  /** Value of the `zuid` cookie. */
  readonly cookie?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came
  readonly body: any;
  /** `Set-Cookie` value of the answer. */
  readonly setCookie: string | undefined;
  /** Value of the `zuid` cookie that the answer sets. */
  readonly cookie: string | undefined;
}

/** Such as `200` or `403 suspended`. */
export const outcome = ({ status, body }: Pick<ApiAnswer, "status" | "body">): string =>
  Object(body).label === undefined ? String(status) : `${status} ${body.label}`;

export type Api = (method: string, path: string, request?: ApiRequest) => Promise<ApiAnswer>;

/** A client of one base address. Every answer is held against the route tables. */
export const apiAt =
  (baseUrl: string): Api =>
  async (method, path, { json, body, headers, token, cookie } = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      body: json === undefined ? body : JSON.stringify(json),
      redirect: "manual",
      headers: {
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(cookie !== undefined && { cookie: `zuid=${cookie}` }),
        ...headers,
      },
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const [setCookie] = response.headers.getSetCookie();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
      setCookie,
      cookie: setCookie && /^zuid=([^;]*)/.exec(setCookie)?.[1],
    };
    checkContract({ method, path: new URL(baseUrl + path).pathname, ...answer });
    return answer;
  };

/** Public API of the shared stack. */
export const api: Api = (...request) => apiAt(inject("publicUrl"))(...request);

/** Internal API of the shared stack. */
export const internalApi: Api = (...request) => apiAt(inject("internalUrl"))(...request);
