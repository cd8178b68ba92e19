import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { newAuthority, newServiceCertificate, sharedServiceKey } from "./tls-service.ts";

/** A request that a receiver got. */
interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on loopback, whose certificate comes from an authority of its own. */
export interface Receiver {
  readonly url: string;
  /** To be trusted by the stack. */
  readonly authority: string;
  readonly received: Received[];
  /** Ids of what was received, in order. */
  ids(): string[];
  /** Decide how requests are answered from now on; by default, with 204. */
  answer(how: (response: ServerResponse, received: Received) => unknown): void;
  stop(): void;
}

let shared: Promise<{ key: string; cert: string }> | undefined;
/** The authority of all receivers of a test file. */
export const receiverAuthority = () => {
  shared ??= newAuthority();
  return shared;
};

export async function startReceiver(): Promise<Receiver> {
  const authority = await receiverAuthority();
  const key = sharedServiceKey();
  const cert = await newServiceCertificate(key, { issuer: authority });
  const received: Received[] = [];
  const accept = (response: ServerResponse): unknown => response.writeHead(204).end();
  let answer: Parameters<Receiver["answer"]>[0] = accept;
  const server = createServer({ key: key.privateKey, cert }, async (request, response) => {
    const one = { headers: request.headers, body: await textOf(request) };
    received.push(one);
    answer(response, one);
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    authority: authority.cert,
    received,
    ids: () => received.map(({ headers }) => String(headers["webhook-id"])),
    answer: (how) => {
      answer = how;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
