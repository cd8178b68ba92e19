import type { IncomingMessage } from "node:http";

/** What the gateway reads of a request, besides its body. */
export interface RequestHead
  extends Pick<IncomingMessage, "method" | "url" | "httpVersion" | "headers" | "headersDistinct"> {
  readonly socket: Pick<IncomingMessage["socket"], "remoteAddress" | "localPort">;
}
