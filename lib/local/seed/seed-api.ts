import { request } from "../../../examples/echo-bot/parley.ts";

/** Where a stack answers, without trailing slashes. */
export interface StackUrls {
  readonly publicUrl: string;
  readonly internalUrl: string;
}

interface Call {
  /** Of the user who calls. */
  readonly token?: string;
  /** Of the provider who calls. */
  readonly cookie?: string;
  readonly json?: object;
  /** By default, 200 and 201. */
  readonly expected?: readonly number[];
}

/** Call the APIs of a stack. @throws Error for an answer that is not expected */
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
