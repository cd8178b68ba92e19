import { randomInt } from "node:crypto";
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type LocalServer, listen } from "#lib/local/gateway/http-server.ts";
import { readBody } from "#lib/local/gateway/read-body.ts";
import { startConnectionsApi } from "#lib/local/sockets/connections-api.ts";
import { OpenSockets } from "#lib/local/sockets/open-sockets.ts";
import { createSocketGateway } from "#lib/local/sockets/socket-gateway.ts";
import { socketFunction } from "#lib/socket-paths.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { eventually } from "./eventually.ts";

/** The stack of a checkout, in a process of its own. */
export interface Version {
  readonly name: string;
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly entranceSecret: string;
  /** Errors that its functions have thrown. */
  readonly errors: readonly string[];
  invoke(functionName: string, event: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** Plays the part of API Gateway: it outlives the versions behind it, and holds their sockets. */
export interface VersionGateway {
  readonly publicUrl: string;
  readonly internalUrl: string;
  /** Address of the `@connections` API. */
  readonly connectionsUrl: string;
  /** Hand each request and each event of a socket to one of these from now on. Resolves when the others have answered theirs. */
  use(...versions: readonly Version[]): Promise<void>;
  /** Requests and events of sockets that a version has answered. */
  answeredBy(version: Version): number;
  stop(): Promise<void>;
}

const bodyLimit = 10 * 1024 * 1024;
const placeholder = "secret-of-the-version";
const agent = new Agent({ keepAlive: true });

/** Start a gateway in front of versions that work on the same data. */
export async function startVersionGateway(): Promise<VersionGateway> {
  const sockets = new OpenSockets();
  const connections = await startConnectionsApi(sockets);
  const underWay = new Map<Version, number>();
  const answered = new Map<Version, number>();
  let current: readonly Version[] = [];

  async function handOver<Result>(task: (version: Version) => Promise<Result>): Promise<Result> {
    const version = current[randomInt(current.length)];
    if (version === undefined) throw new Error("There is no version");
    add(underWay, version, 1);
    try {
      return await task(version);
    } finally {
      add(underWay, version, -1);
      add(answered, version, 1);
    }
  }

  const socketGateway = createSocketGateway({
    sockets,
    functionName: socketFunction,
    entranceSecret: placeholder,
    invoke: (event) =>
      handOver(({ invoke, entranceSecret }) =>
        invoke(socketFunction, JSON.parse(JSON.stringify(event).replaceAll(placeholder, entranceSecret))),
      ),
    frameLog: { note: () => {} },
    clock: systemClock,
  });

  const serve = (audience: "publicUrl" | "internalUrl"): Promise<LocalServer> =>
    listen(
      async (incoming, response) => {
        // Like API Gateway, which calls a function only when it has the whole request.
        const body = await readBody(incoming, bodyLimit);
        await handOver((version) => forward(incoming, body, version[audience], response)).catch((error) => {
          response.writeHead(502).end(String(error));
        });
      },
      0,
      audience === "publicUrl" ? socketGateway.upgrade : undefined,
    );
  const publicServer = await serve("publicUrl");
  const internalServer = await serve("internalUrl");

  return {
    publicUrl: publicServer.url,
    internalUrl: internalServer.url,
    connectionsUrl: connections.url,
    async use(...versions) {
      current = versions;
      await eventually(() => {
        for (const [version, count] of underWay) {
          if (count > 0 && !versions.includes(version)) throw new Error(`${version.name} still answers`);
        }
      });
    },
    answeredBy: (version) => answered.get(version) ?? 0,
    async stop() {
      await Promise.all([socketGateway.stop(), publicServer.stop(), internalServer.stop()]);
      await connections.stop();
    },
  };
}

const add = (counts: Map<Version, number>, version: Version, count: number) =>
  counts.set(version, (counts.get(version) ?? 0) + count);

function forward(
  { method, url = "", headers }: IncomingMessage,
  body: Buffer | undefined,
  baseUrl: string,
  response: ServerResponse,
): Promise<void> {
  const { "transfer-encoding": _, ...others } = headers;
  const target = new URL(baseUrl);
  const options = { host: target.hostname, port: target.port, path: url, method, headers: others, agent };
  return new Promise((resolve, reject) => {
    request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      answer.pipe(response).on("close", resolve);
    })
      .on("error", reject)
      .end(body);
  });
}
