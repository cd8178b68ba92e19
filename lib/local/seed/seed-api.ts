import { request } from "../../../examples/echo-bot/parley.ts";

/** Base addresses of a stack, without trailing slashes. */
export interface StackUrls {
  readonly publicUrl: string;
  readonly internalUrl: string;
}

interface Call {
  /** Access token of the calling user. */
  readonly token?: string;
  /** Cookie of the calling provider. */
  readonly cookie?: string;
  readonly json?: object;
  /** Expected statuses; by default, 200 and 201. */
  readonly expected?: readonly number[];
}

/**
 * Call the APIs of a stack.
 * @throws Error for an unexpected status
 */
export class SeedApi {
  readonly #urls: StackUrls;

  constructor(urls: StackUrls) {
    this.#urls = urls;
  }

  call(method: string, path: string, { token, cookie, json, expected = [200, 201] }: Call = {}) {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(cookie !== undefined && { cookie }),
    };
    return request(`${this.#urls.publicUrl}/v9${path}`, { method, json, headers, expected });
  }

  operate(method: string, path: string, json?: object) {
    return request(this.#urls.internalUrl + path, { method, json, expected: [200, 201, 204] });
  }
}
