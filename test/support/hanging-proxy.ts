import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** An HTTP proxy in front of an emulator that leaves some requests without an answer. */
export interface HangingProxy {
  readonly url: string;
  stop(): void;
  /** Actions of which a request got no answer, such as `GetItem`. */
  readonly hung: Set<string>;
}

/**
 * Start a proxy that forwards every request, but never answers the first one of each of these actions and keeps its
 * connection open.
 */
export async function startHangingProxy(target: string, actions: readonly string[]): Promise<HangingProxy> {
  const hung = new Set<string>();
  // A server that no call reaches without HTTP, since only HTTP times out.
  const server = createServer(async (incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    const body = await buffer(incoming);
    const called = `${headers["x-amz-target"]} ${url} ${body}`;
    const action = actions.find((name) => called.includes(name));
    const hangs = action !== undefined && !hung.has(action);
    if (hangs) hung.add(action);
    request(new URL(url, target), { method, headers }, (answer) => {
      if (hangs) {
        answer.resume();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    }).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, hung, stop };
}
