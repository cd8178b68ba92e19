/** A request of the client, and its answer. */
export interface ApiCall {
  readonly method: string;
  /** Path with the version, but without the query. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Id by which operators find the request. */
  readonly requestId: string | undefined;
  /** The body, unless it is JSON: an MLS message or a file. */
  readonly bytes: Uint8Array | undefined;
}

export interface Content {
  readonly json?: object;
  /** An MLS message. */
  readonly mls?: Uint8Array<ArrayBuffer>;
  /** An encrypted file, as `POST /assets` expects it. */
  readonly mixed?: { readonly boundary: string; readonly body: Uint8Array<ArrayBuffer> };
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is not a success. */
export class ApiError extends Error {
  readonly status: number;
  /** The label by which clients distinguish errors; empty if the answer has none. */
  readonly label: string;

  constructor(what: string, status: number, { label = "", message = "" }) {
    super(`${what} was answered ${status} ${label}: ${message}`);
    this.status = status;
    this.label = label;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the answers of many operations
type Answer = any;

const version = "/v9";
const tokenRejected = 401;

/** The public API, as one device of one person calls it. Access tokens are renewed when they have expired. */
export class Api {
  /** Device that new access tokens name. */
  clientId: string | undefined;
  readonly #base: string;
  readonly #onCall: (call: ApiCall) => void;
  #token: string | undefined;
  #refreshing: Promise<void> | undefined;

  /** @param base address of the API, to which the browser sends the session's cookie */
  constructor(base: string, onCall: (call: ApiCall) => void) {
    this.#base = base;
    this.#onCall = onCall;
  }

  /** Start a session; the browser keeps its cookie. */
  async logIn(email: string, password: string): Promise<void> {
    const { access_token } = await this.send("POST", "/login?persist=true", { json: { email, password } });
    this.#token = access_token;
  }

  /** Get an access token for the cookie. @throws ApiError 403 if there is no session */
  refresh(): Promise<void> {
    // Requests that are rejected at the same time share one answer.
    this.#refreshing ??= this.#renewToken().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #renewToken(): Promise<void> {
    const query = this.clientId === undefined ? "" : `?client_id=${this.clientId}`;
    this.#token = undefined;
    // Without a version, because the cookie is valid for this path only.
    const response = await this.#call("POST", `/access${query}`, {});
    this.#token = (await read(response, "POST /access")).access_token;
  }

  /** @throws ApiError for any other answer than a success */
  async send(method: string, path: string, content: Content = {}): Promise<Answer> {
    return read(await this.fetch(method, path, content), `${method} ${path}`);
  }

  /** Like `send`, but returns the raw answer. */
  async fetch(method: string, path: string, content: Content = {}): Promise<Response> {
    const response = await this.#call(method, version + path, content);
    if (response.status !== tokenRejected || this.#token === undefined) return response;
    await this.refresh();
    return this.#call(method, version + path, content);
  }

  /**
   * Address of the socket for the device's events. Browsers cannot set headers of a socket, so the token is in the
   * query.
   */
  socketAddress(): string {
    const query = new URLSearchParams({ access_token: this.#token ?? "", client: this.clientId ?? "" });
    return `${this.#base.replace(/^http/, "ws")}/await?${query}`;
  }

  async #call(method: string, path: string, content: Content): Promise<Response> {
    const { json, mls, mixed } = content;
    const headers = new Headers(content.headers);
    if (this.#token !== undefined) headers.set("authorization", `Bearer ${this.#token}`);
    if (json !== undefined) headers.set("content-type", "application/json");
    if (mls !== undefined) headers.set("content-type", "message/mls");
    if (mixed !== undefined) headers.set("content-type", `multipart/mixed; boundary=${mixed.boundary}`);
    const bytes = mls ?? mixed?.body;
    const body = bytes ?? (json && JSON.stringify(json)) ?? null;
    const startedAt = performance.now();
    const response = await fetch(this.#base + path, { method, headers, body });
    this.#onCall({
      method,
      path: path.replace(/\?.*/, ""),
      status: response.status,
      milliseconds: performance.now() - startedAt,
      requestId: response.headers.get("x-request-id") ?? undefined,
      bytes,
    });
    return response;
  }
}

async function read(response: Response, what: string): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const body = isJson ? JSON.parse(text) : text;
  if (response.ok) return body;
  throw new ApiError(what, response.status, isJson ? body : {});
}
