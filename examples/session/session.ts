/** An answer that is not a success. */
export class ApiError extends Error {
  readonly status: number;
  /** By which clients tell errors of one status apart; empty if the answer has none. */
  readonly label: string;

  constructor(what: string, status: number, { label = "", message = "" }) {
    super(`${what} was answered ${status} ${label}: ${message}`);
    this.status = status;
    this.label = label;
  }
}

export interface Content {
  readonly json?: object;
  /** Instead of JSON; its type is among the headers. */
  readonly body?: RequestInit["body"];
  readonly headers?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the answers of many operations
type Json = any;

/** What an app keeps for its next start. The cookie is as secret as a password. */
export interface SavedSession {
  readonly user: string;
  /** Empty in browsers, which keep it themselves. */
  readonly cookie: string;
  readonly device?: string;
}

const version = "/v8";
const timeoutMilliseconds = 60_000;
const tokenRejected = 401;

/**
 * Make a request without a session, such as for registration.
 * @param base address of the API
 * @returns the JSON of the answer
 * @throws ApiError for any other answer than a success
 */
export const call = async (
  base: string,
  method: string,
  path: string,
  content: Content = {},
): Promise<Json> => read(await request(base + version + path, method, content), `${method} ${path}`);

/** A person who is logged in on one device. Access tokens are renewed when the service rejects them. */
export class Session {
  /** Called when there is something new to keep. */
  onChange: (saved: SavedSession) => void = () => {};
  readonly #base: string;
  #saved: SavedSession;
  #token: string | undefined;
  #refreshing: Promise<void> | undefined;

  /** Continue a session. @param base address of the API */
  constructor(base: string, saved: SavedSession) {
    this.#base = base;
    this.#saved = saved;
  }

  /** Start a session. @throws ApiError 403 `invalid-credentials` */
  static async logIn(base: string, email: string, password: string): Promise<Session> {
    const response = await request(`${base}${version}/login?persist=true`, "POST", {
      json: { email, password },
      hasCookie: true,
    });
    const { user, access_token } = await read(response, "POST /login");
    const session = new Session(base, { user, cookie: cookieOf(response) ?? "" });
    session.#token = access_token;
    return session;
  }

  get saved(): SavedSession {
    return this.#saved;
  }

  /** Id of the person. */
  get user(): string {
    return this.#saved.user;
  }

  /** Id of the device that the session is tied to, once there is one. */
  get device(): string | undefined {
    return this.#saved.device;
  }

  /** Tie the session, and with it the messages that it gets, to a device of the person. */
  async useDevice(device: string): Promise<void> {
    // One that has begun names no device.
    await this.#refreshing;
    this.#keep({ device });
    await this.refresh();
  }

  /** @returns the JSON of the answer. @throws ApiError for any other answer than a success */
  async call(method: string, path: string, content: Content = {}): Promise<Json> {
    return read(await this.fetch(method, path, content), `${method} ${path}`);
  }

  /** Like `call`, but returns the raw answer, whatever it is. */
  async fetch(method: string, path: string, content: Content = {}): Promise<Response> {
    if (this.#token === undefined) await this.refresh();
    const used = this.#token;
    const response = await this.#fetchOnce(method, path, content);
    if (response.status !== tokenRejected) return response;
    // Meanwhile, another request may have got a new token.
    if (this.#token === used) await this.refresh();
    return this.#fetchOnce(method, path, content);
  }

  /** Get a new access token. @throws ApiError 403 when the session is over, and the person has to log in again */
  refresh(): Promise<void> {
    // Requests that need it at the same time share one answer.
    this.#refreshing ??= this.#renewToken().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** End the session. */
  async logOut(): Promise<void> {
    await this.refresh();
    await read(await this.#fetchWithCookie("/access/logout"), "POST /access/logout");
  }

  /** Address of the socket. Many clients cannot set headers of a socket, so the token is in the query. */
  socketAddress(): string {
    const { device } = this;
    const query = new URLSearchParams({ access_token: this.#token ?? "", ...(device && { client: device }) });
    return `${this.#base.replace(/^http/, "ws")}/await?${query}`;
  }

  async #renewToken(): Promise<void> {
    const { device } = this.#saved;
    const response = await this.#fetchWithCookie(
      `/access${device === undefined ? "" : `?client_id=${device}`}`,
    );
    this.#token = (await read(response, "POST /access")).access_token;
    const newCookie = cookieOf(response);
    if (newCookie !== undefined) this.#keep({ cookie: newCookie });
  }

  #fetchOnce(method: string, path: string, { headers, ...content }: Content): Promise<Response> {
    const all = { ...headers, ...this.#bearer() };
    return request(this.#base + version + path, method, { ...content, headers: all });
  }

  /** Without a version, because browsers send the cookie to these paths only. */
  #fetchWithCookie(path: string): Promise<Response> {
    const { cookie } = this.#saved;
    // An expired token still tells which connection the next one continues.
    const headers = { ...this.#bearer(), ...(cookie !== "" && { cookie }) };
    return request(this.#base + path, "POST", { headers, hasCookie: true });
  }

  #bearer(): Record<string, string> {
    return this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
  }

  #keep(changes: Partial<SavedSession>): void {
    this.#saved = { ...this.#saved, ...changes };
    this.onChange(this.#saved);
  }
}

const request = (
  url: string,
  method: string,
  { json, body, headers, hasCookie = false }: Content & { readonly hasCookie?: boolean },
): Promise<Response> =>
  fetch(url, {
    method,
    headers: { ...headers, ...(json && { "content-type": "application/json" }) },
    body: body ?? (json && JSON.stringify(json)),
    // A file may take longer.
    signal: body === undefined ? AbortSignal.timeout(timeoutMilliseconds) : undefined,
    // Browsers send their own cookie instead of the header, but with it refuse the bucket to which downloads redirect.
    credentials: hasCookie ? "include" : "same-origin",
  });

/** Outside browsers, which show it to nobody. */
const cookieOf = ({ headers }: Response) => headers.getSetCookie()[0]?.split(";")[0];

async function read(response: Response, what: string): Promise<Json> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const body = isJson ? JSON.parse(text) : text;
  if (response.ok) return body;
  throw new ApiError(what, response.status, isJson ? body : {});
}
