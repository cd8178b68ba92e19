interface ApiRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly token?: string;
  readonly cookie?: string;
  readonly json?: unknown;
  /** Body instead of JSON, with its type. */
  readonly body?: string;
  readonly contentType?: string;
  /** Fields of the answer that are needed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are success. */
  readonly expects: readonly number[];
}

/** Longest answer that is read: all answers to the canary are small. */
const maxAnswerBytes = 1024 * 1024;

/** A request was answered, but not as it should be. The message quotes nothing of the answer but its label. */
export class UnexpectedAnswerError extends Error {
  override readonly name = "UnexpectedAnswerError";
}

/** The public API as a client uses it: HTTP only. Every request ends with the signal. */
export class PublicApi {
  readonly #url: string;
  readonly #signal: AbortSignal;

  /** @param url base address, without trailing slash */
  constructor(url: string, signal: AbortSignal) {
    this.#url = url;
    this.#signal = signal;
  }

  /** @throws UnexpectedAnswerError */
  async send(path: string, { method, token, cookie, json, body, contentType, ...request }: ApiRequest) {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: "manual",
      signal: this.#signal,
      headers: {
        ...request.headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(cookie !== undefined && { cookie }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(contentType !== undefined && { "content-type": contentType }),
      },
      body: json === undefined ? body : JSON.stringify(json),
    });
    const text = await readText(response);
    if (!request.expects.includes(response.status)) {
      const label = labelIn(text);
      throw new UnexpectedAnswerError(
        `${method} ${path.split("?")[0]} was answered with ${response.status}${label}`,
      );
    }
    return { headers: response.headers, text };
  }

  /** Fetch a file from a signed address, which needs no session. @throws UnexpectedAnswerError */
  async download(address: string): Promise<string> {
    const response = await fetch(address, { signal: this.#signal });
    const text = await readText(response);
    if (response.status !== 200)
      throw new UnexpectedAnswerError(`The address of the file was answered with ${response.status}`);
    return text;
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxAnswerBytes) throw new UnexpectedAnswerError("An answer is far too long");
  }
  return text + decoder.decode();
}

function labelIn(text: string): string {
  try {
    const { label } = JSON.parse(text);
    return typeof label === "string" ? ` ${label}` : "";
  } catch {
    return "";
  }
}
