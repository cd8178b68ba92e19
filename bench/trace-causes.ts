import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";
import { causeHeader } from "./recording-proxy.ts";

/** Add the cause header of a request to every call that this process sends while it answers the request. */
export function traceCauses(): void {
  const causes = new AsyncLocalStorage<string>();
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    const cause = request.headers[causeHeader];
    if (cause !== undefined) causes.enterWith(cause.toString());
  });
  subscribe("http.client.request.created", (message) => {
    const { request } = message as { request: ClientRequest };
    const cause = causes.getStore();
    if (cause !== undefined) request.setHeader(causeHeader, cause);
  });
}
