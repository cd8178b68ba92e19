/** A request of a pane, and how it was answered. */
export interface PaneCall {
  readonly method: string;
  /** With the version, and without the query. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Of the request, by which the console lists it. */
  readonly id: string | undefined;
  /** What was sent, if it is an MLS message. */
  readonly mls: Uint8Array | undefined;
}

export interface Content {
  readonly json?: object;
  /** An MLS message. */
  readonly mls?: Uint8Array<ArrayBuffer>;
}

// biome-ignore lint/suspicious/noExplicitAny: the answers of many operations
type Answer = any;

const tokenRejected = 401;

/**
 * The public API as one person's app sees it. Calls pass through the console, which keeps the cookies of each pane apart:
 * a browser would mix up those of two people at one address.
 */
export class PaneApi {
  /** Access token, if the person has logged in. */
  token: string | undefined;
  /** Device that new access tokens name. */
  clientId: string | undefined;
  readonly #base = `/chat/panes/${crypto.randomUUID()}`;
  readonly #onCall: (call: PaneCall) => void;

  constructor(onCall: (call: PaneCall) => void) {
    this.#onCall = onCall;
  }

  /** @throws Error with label and message of any other answer than a success */
  async send(method: string, path: string, content: Content = {}): Promise<Answer> {
    let response = await this.#call(method, path, content);
    if (response.status === tokenRejected && this.token !== undefined && !path.startsWith("/access")) {
      await this.refresh();
      response = await this.#call(method, path, content);
    }
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const body = isJson ? JSON.parse(text) : text;
    if (response.ok) return body;
    throw new Error(
      `${method} ${path} was answered ${response.status} ${body.label ?? ""}: ${body.message ?? text}`,
    );
  }

  /** Get a new access token for the cookie, which names the device. */
  async refresh(): Promise<void> {
    const query = this.clientId === undefined ? "" : `?client_id=${this.clientId}`;
    this.token = (await this.send("POST", `/access${query}`)).access_token;
  }

  async #call(method: string, path: string, { json, mls }: Content): Promise<Response> {
    const headers: Record<string, string> = {};
    if (this.token !== undefined) headers.authorization = `Bearer ${this.token}`;
    if (json !== undefined) headers["content-type"] = "application/json";
    if (mls !== undefined) headers["content-type"] = "message/mls";
    const body = mls ?? (json && JSON.stringify(json)) ?? null;
    const startedAt = performance.now();
    const response = await fetch(this.#base + path, { method, headers, body });
    this.#onCall({
      method,
      path: path.replace(/\?.*/, ""),
      status: response.status,
      milliseconds: performance.now() - startedAt,
      id: response.headers.get("x-request-id") ?? undefined,
      mls,
    });
    return response;
  }
}
