import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../../gateway/read-body.ts";
import { CookieJars } from "./cookie-jars.ts";

const panePath = /^\/chat\/panes\/([\da-f-]{36})(\/.*)$/;
const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const bodyLimit = 1024 * 1024;
const timeoutMilliseconds = 30_000;
const passedHeaders = ["authorization", "content-type"] as const;
const answeredHeaders = ["content-type", "x-request-id"] as const;

/**
 * Creates what answers requests below `/chat/panes/<pane>`: it passes them to the public API, with the cookies of that
 * pane, which never reach the browser.
 * @returns whether the request was one of a pane
 */
export function createPaneProxy(publicUrl: string) {
  const jars = new CookieJars();
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const [, pane, target = ""] = panePath.exec(request.url ?? "") ?? [];
    if (pane === undefined) return false;
    const { method = "" } = request;
    const body = await readBody(request, bodyLimit);
    if (body === undefined || !methods.has(method)) {
      response.writeHead(body === undefined ? 413 : 405).end();
      return true;
    }
    const headers = new Headers();
    for (const name of passedHeaders) {
      const value = request.headers[name];
      if (value !== undefined) headers.set(name, value);
    }
    const cookie = jars.headerFor(pane, target.replace(/\?.*/s, ""));
    if (cookie !== undefined) headers.set("cookie", cookie);
    const answer = await fetch(publicUrl + target, {
      method,
      headers,
      ...(body.length > 0 && method !== "GET" && { body: new Uint8Array(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    jars.store(pane, answer.headers.getSetCookie());
    response.statusCode = answer.status;
    for (const name of answeredHeaders) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.end(Buffer.from(await answer.arrayBuffer()));
    return true;
  };
}
