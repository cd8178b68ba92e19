import type { IncomingMessage } from "node:http";
import { socketStage } from "../../socket-paths.ts";
import { type LocalServer, listenToPrograms } from "../gateway/http-server.ts";
import { readBody } from "../gateway/read-body.ts";
import type { OpenSocket, OpenSockets } from "./open-sockets.ts";

/** Largest message, in bytes. */
export const messageLimit = 128 * 1024;

const connectionPath = new RegExp(`^/${socketStage}/@connections/([^/?]+)$`);

interface Answer {
  readonly status: number;
  /** Name of the exception that the SDK throws. */
  readonly error?: string;
  readonly body?: unknown;
}

/**
 * Start the `@connections` API of API Gateway on its own port: functions use it to post to open sockets, inspect them
 * and close them. Signatures are not checked.
 */
export async function startConnectionsApi(sockets: OpenSockets): Promise<LocalServer> {
  const server = await listenToPrograms(async (request, response) => {
    try {
      const { status, error, body } = await answer(request, sockets);
      response.writeHead(status, {
        "content-type": "application/json",
        ...(error !== undefined && { "x-amzn-errortype": error }),
      });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    } catch (error) {
      if (!request.destroyed || request.complete) console.error(error);
      response.destroy();
    }
  });
  return { ...server, url: `${server.url}/${socketStage}` };
}

async function answer(request: IncomingMessage, sockets: OpenSockets): Promise<Answer> {
  const body = await readBody(request, messageLimit);
  const connectionId = idIn(request.url ?? "");
  if (connectionId === undefined) return refuse(404, "NotFoundException", "There is no such path");
  if (body === undefined) return refuse(413, "PayloadTooLargeException", "Message too long");
  // Looked up only after the body was read, because the socket may have closed meanwhile.
  const socket = sockets.get(connectionId);
  if (socket === undefined) return refuse(410, "GoneException", "Gone");
  switch (request.method) {
    case "POST":
      sockets.post(socket, body.toString());
      return { status: 200 };
    case "GET":
      return { status: 200, body: describe(socket) };
    case "DELETE":
      socket.webSocket.close(1000, "Connection Closed Normally");
      return { status: 204 };
    default:
      return refuse(405, "MethodNotAllowedException", "Method not allowed");
  }
}

function idIn(url: string): string | undefined {
  try {
    return decodeURIComponent(connectionPath.exec(url)?.[1] ?? "") || undefined;
  } catch {
    return undefined;
  }
}

const describe = ({ identity: { connectedAt, sourceIp, userAgent }, lastActiveAt }: OpenSocket) => ({
  connectedAt: new Date(connectedAt).toISOString(),
  identity: { sourceIp, userAgent: userAgent ?? "" },
  lastActiveAt: new Date(lastActiveAt).toISOString(),
});

const refuse = (status: number, error: string, message: string): Answer => ({
  status,
  error,
  body: { message },
});
