import type { IncomingMessage } from "node:http";

/** A request as the gateway reads it, without its body. */
export interface RequestHead
  extends Pick<IncomingMessage, "method" | "url" | "httpVersion" | "headers" | "headersDistinct"> {
  readonly socket: Pick<IncomingMessage["socket"], "remoteAddress" | "localPort">;
}
