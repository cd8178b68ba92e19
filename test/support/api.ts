import { Agent, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Api, type ApiRequest, answerOf, contentOf, showsEffects } from "./api-answer.ts";
import { directApi } from "./direct-api.ts";
import { withEffects } from "./effects.ts";
import { sharedStack } from "./shared-stack.ts";

export { type Api, type ApiAnswer, type ApiRequest, outcome } from "./api-answer.ts";

// Closes idle connections long before the server would, which might happen just when a request is sent.
const agent = new Agent({ keepAlive: true, timeout: 10_000 });

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

/** Uses `node:http`: `fetch` takes several times as long, and tests send tens of thousands of requests. */
const send = (url: URL, method: string, body: ApiRequest["body"], headers: Record<string, string>) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent }, resolve).on("error", reject).end(body);
  });

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

let shared: { publicApi: Api; internalApi: Api } | undefined;

function sharedApis() {
  shared ??= {
    publicApi: directApi(sharedStack(), "public").api,
    internalApi: directApi(sharedStack(), "internal").api,
  };
  return shared;
}
