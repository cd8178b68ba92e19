import type { Audience } from "../gateway-routes.ts";

/** One request that a gateway has answered. */
export interface LoggedRequest {
  /** When it came, ISO 8601. */
  readonly at: string;
  readonly api: Audience;
  readonly method: string;
  /** Without the query string, which may hold tokens. */
  readonly path: string;
  /** 499 when the client went away before the answer. */
  readonly status: number;
  readonly milliseconds: number;
  /** Function that answered; none for what the gateway answers itself. */
  readonly functionName: string | undefined;
}

type Listener = (request: LoggedRequest) => void;

const keptRequests = 500;

/** The latest requests, for the console. */
export class RequestLog {
  readonly #listeners = new Set<Listener>();
  readonly #requests: LoggedRequest[] = [];

  add(request: LoggedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > keptRequests) this.#requests.shift();
    for (const listener of this.#listeners) listener(request);
  }

  /** Newest first. */
  list(): LoggedRequest[] {
    return this.#requests.toReversed();
  }

  /** @returns what ends the subscription */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
