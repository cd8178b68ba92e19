import { CommandError } from "./command-error.ts";
import { type CommandRun, commandHeader } from "./command-run.ts";

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the API document says what an operation answers
type Answer = any;

/** The address of an API, and the function that sends a request to it as the operator. */
export interface Endpoint {
  readonly url: string;
  /** Advice for when nothing answers. */
  readonly advice?: string;
  readonly send: (
    url: URL,
    request: { method: string; headers: Record<string, string>; body: string | undefined },
  ) => Promise<Response>;
}

/** A request that a dry run did not send. */
export interface UnsentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** The API has answered with an error. */
export class ApiFailure extends CommandError {
  readonly status: number;
  /** Kind of error; absent if something in front of the functions answered. */
  readonly label: string | undefined;

  constructor(status: number, { label, message }: { label?: string; message?: string }) {
    const kind = label === undefined ? String(status) : `${status} ${label}`;
    super(`${message ?? "The internal API has refused"} (${kind})`);
    this.status = status;
    this.label = label;
  }
}

/** The internal API of one installation. */
export class InternalApi {
  /** Requests that a dry run did not send. */
  readonly unsent: UnsentRequest[] = [];
  readonly isDryRun: boolean;
  /** The command that sends the requests. */
  readonly run: CommandRun | undefined;
  readonly #findEndpoint: () => Promise<Endpoint>;
  #endpoint: Promise<Endpoint> | undefined;

  /** @param options.endpoint is called for the first request */
  constructor(options: { endpoint: () => Promise<Endpoint>; isDryRun: boolean; run?: CommandRun }) {
    this.#findEndpoint = options.endpoint;
    this.run = options.run;
    this.isDryRun = options.isDryRun;
  }

  /** Acts as a user: public operations on the internal API take the user's id from this header. */
  static as = (userId: string) => ({ headers: { "z-user": userId } });

  async read(path: string, request: Pick<ApiRequest, "query" | "headers"> = {}): Promise<Answer> {
    return this.call("GET", path, request);
  }

  /** Like `read`, but undefined if the API answers 404. */
  async find(path: string, request: Pick<ApiRequest, "query" | "headers"> = {}): Promise<Answer> {
    try {
      return (await this.read(path, request)) ?? true;
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Send a request; a dry run sends only requests that read.
   * @param path with the parameters in it encoded
   * @returns the body of the answer; undefined without one, and for a request that was not sent
   * @throws ApiFailure for an error; CommandError if nothing answers, or the path would lead elsewhere
   */
  async call(
    method: string,
    path: string,
    { query = {}, headers = {}, json }: ApiRequest = {},
  ): Promise<Answer> {
    const dots = path.split("/").find((segment) => segment === "." || segment === "..");
    // A URL treats such a segment as the folder above.
    if (dots !== undefined) throw new CommandError(`Not an id: ${dots}`);
    const parameters = new URLSearchParams(query).toString();
    const target = `${path}${parameters && `?${parameters}`}`;
    if (this.isDryRun && method !== "GET" && method !== "HEAD") {
      this.unsent.push({ method, path: target, ...(json !== undefined && { body: json }) });
      return undefined;
    }
    this.#endpoint ??= this.#findEndpoint();
    const endpoint = await this.#endpoint;
    const url = endpoint.url.replace(/\/+$/, "");
    const response = await endpoint
      .send(new URL(`${url}${target}`), {
        method,
        headers: {
          ...headers,
          ...(this.run !== undefined && commandHeader(this.run)),
          ...(json !== undefined && { "content-type": "application/json" }),
        },
        body: json === undefined ? undefined : JSON.stringify(json),
      })
      .catch((error: Error) => {
        const { advice } = endpoint;
        throw new CommandError(`No answer from ${url}: ${reasonOf(error)}${advice ? `\n${advice}` : ""}`);
      });
    const body = parse(await response.text());
    if (!response.ok) throw new ApiFailure(response.status, Object(body));
    return body;
  }

  /**
   * Read a list page by page, up to a number of entries.
   * @param field name of the field with the entries of each page
   * @param how paging of the list, further parameters, and the user as whom it is read
   */
  async list(
    path: string,
    field: string,
    limit: number,
    {
      headers = {},
      query = {},
      paging = byCursor,
    }: Pick<ApiRequest, "headers" | "query"> & { paging?: Paging } = {},
  ): Promise<{ entries: Answer[]; hasMore: boolean }> {
    const entries: Answer[] = [];
    let next: Record<string, string> | undefined = {};
    while (next !== undefined && entries.length < limit) {
      const size = String(Math.min(100, limit - entries.length));
      const page: Answer = await this.read(path, {
        headers,
        query: { ...query, [paging.size]: size, ...next },
      });
      entries.push(...page[field]);
      next = paging.next(page);
    }
    return { entries, hasMore: next !== undefined };
  }
}

/** The paging of a list. */
export interface Paging {
  /** Parameter with the length of a page. */
  readonly size: string;
  /** Parameters that lead to the page after this one; undefined after the last. */
  readonly next: (page: Answer) => Record<string, string> | undefined;
}

/** A page contains the cursor of the next one, as in lists of the internal API. */
const byCursor: Paging = {
  size: "size",
  next: ({ next }) => (next === undefined ? undefined : { start: next }),
};

/** The reason why a request got no answer, which `fetch` keeps in the cause. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  const { code } = cause as { code?: unknown };
  return cause.message === "" ? String(code ?? message) : cause.message;
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
