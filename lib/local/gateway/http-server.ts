import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { uploadTimes } from "../../uploads/receive-upload.ts";
import { loopback } from "../network-host.ts";
import { SetupError } from "../setup-error.ts";
import { isLocalProgram } from "./local-caller.ts";

/** A running HTTP server. */
export interface LocalServer {
  /** Base address, without trailing slash. */
  readonly url: string;
  /** Gives requests in flight a moment to finish, then closes every connection; waits for upgraded ones to close. */
  stop(): Promise<void>;
}

/** Takes over the connection of a request that asks for a WebSocket. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Request listeners by the addresses of this thread, for calls from the same thread that can skip the network. */
export const localListeners = new Map<string, RequestListener>();

const graceMilliseconds = 2000;
/** Longer than any local client keeps idle connections, so that no connection is closed just when a request is sent. */
const keepAliveMilliseconds = 75_000;

/** Serve programs on this machine at any free port of 127.0.0.1; pages in browsers get 403. */
export const listenToPrograms = (listener: RequestListener): Promise<LocalServer> =>
  listen((request, response) => {
    if (isLocalProgram(request.headers)) listener(request, response);
    else response.writeHead(403).end();
  });

/**
 * Serve HTTP on an IPv4 address of this machine, over TLS if there is a certificate; port 0 means any free port.
 * @throws SetupError when the port is taken, or the address is gone
 */
export async function listen(
  listener: RequestListener,
  port = 0,
  onUpgrade?: UpgradeListener,
  host = loopback,
  tls?: { readonly key: string; readonly cert: string },
): Promise<LocalServer> {
  const options = {
    keepAliveTimeout: keepAliveMilliseconds,
    // Node would end the upload of a slow client after five minutes.
    requestTimeout: uploadTimes.longest * 1000,
    shouldUpgradeCallback,
  };
  const server =
    tls === undefined
      ? createServer(options, listener)
      : createSecureServer({ ...options, ...tls }, listener);
  if (onUpgrade !== undefined) server.on("upgrade", onUpgrade);

  /** Offers of clients to upgrade to another version of HTTP are ignored. */
  function shouldUpgradeCallback({ headers }: IncomingMessage): boolean {
    return onUpgrade !== undefined && headers.upgrade?.toLowerCase() === "websocket";
  }

  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new SetupError(`Port ${port} is in use; choose others with --port`);
    if (code === "EACCES")
      throw new SetupError(`Port ${port} is not allowed here; choose others with --port`);
    if (code === "EADDRNOTAVAIL") throw new SetupError(`This machine no longer has the address ${host}`);
    throw error;
  }
  const url = `${tls === undefined ? "http" : "https"}://${host}:${(server.address() as AddressInfo).port}`;
  localListeners.set(url, listener);
  return {
    url,
    async stop() {
      localListeners.delete(url);
      const closed = once(server, "close");
      server.close();
      const closeIdle = setInterval(() => server.closeIdleConnections(), 20);
      const closeAll = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
      await closed;
      clearInterval(closeIdle);
      clearTimeout(closeAll);
    },
  };
}
