import { families } from "#functions/families.ts";
import type { Audience } from "#lib/gateway-routes.ts";
import type { Reply } from "#lib/http/reply.ts";
import { createGateway, type Gateway } from "#lib/local/gateway/create-gateway.ts";
import type { RequestHead } from "#lib/local/gateway/request-head.ts";
import type { LocalStack } from "#lib/local/stack.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { type Api, type ApiRequest, answerOf, contentOf, showsEffects } from "./api-answer.ts";
import { checkContract } from "./contract.ts";
import { count } from "./costs.ts";
import { withEffects } from "./effects.ts";
import { parseJson } from "./raw-request.ts";

/** An API without HTTP: the gateway's routes and events, and the functions of a stack, in this thread. */
export interface DirectApi {
  readonly api: Api;
  /** Sends the path exactly as written. */
  raw(
    method: string,
    target: string,
    options?: { headers?: Record<string, string> },
  ): Promise<{ status: number; body: string }>;
}

/**
 * Call a stack of this thread without HTTP, which costs more than what it carries.
 * @param address where requests come from
 */
export function directApi(
  {
    invoke,
    entranceSecret,
    clock,
  }: Pick<LocalStack, "invoke" | "entranceSecret"> & { readonly clock: Clock },
  audience: Audience,
  address = "127.0.0.1",
): DirectApi {
  const headOf = headsFrom(address);
  const gateway = createGateway({
    audience,
    families,
    clock,
    invoke,
    ...(audience === "public" && { entranceSecret }),
  });
  return {
    async api(method, path, request = {}) {
      const { pathname, search } = new URL(path, localUrl);
      const { content, headers } = contentOf(request);
      const sent = () => answer(gateway, headOf(method, pathname + search, headers), content);
      const reply = await (showsEffects.test(pathname) ? withEffects(sent) : sent());
      return answerOf(method, pathname, {
        status: reply.status,
        headers: new Headers([
          ...Object.entries(reply.headers),
          ...reply.cookies.map((cookie): [string, string] => ["set-cookie", cookie]),
        ]),
        bytes: method === "HEAD" ? Buffer.alloc(0) : reply.body,
      });
    },
    async raw(method, target, { headers = {} } = {}) {
      const { status, body } = await answer(gateway, headOf(method, target, headers), undefined);
      const text = body.toString();
      const path = target.replace(/\?.*$/s, "");
      checkContract({ method, path, status, body: parseJson(text) });
      return { status, body: text };
    },
  };
}

const localUrl = "http://127.0.0.1";
/** Largest body that an HTTP API takes, in bytes. */
const bodyLimit = 10 * 1024 * 1024;

async function answer(gateway: Gateway, head: RequestHead, content: ApiRequest["body"]): Promise<Reply> {
  count("directRequests");
  const body = Buffer.from((content as string | undefined) ?? "");
  return (await gateway(head, body.length > bodyLimit ? undefined : body)).reply;
}

const headsFrom =
  (remoteAddress: string) =>
  (method: string, url: string, headers: Record<string, string>): RequestHead => {
    const all = { host: "127.0.0.1", ...headers };
    return {
      method,
      url,
      httpVersion: "1.1",
      headers: all,
      headersDistinct: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
      socket: { remoteAddress, localPort: 80 },
    };
  };
