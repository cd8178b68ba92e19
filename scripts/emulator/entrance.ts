import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { createContext, runInContext } from "node:vm";
import { apiFunctionCode, socketFunctionCode } from "#lib/edge-function.ts";
import { type LocalServer, listen } from "#lib/local/gateway/http-server.ts";
import { variables } from "#shared/platform/config.ts";
import { entranceHeaders } from "#shared/platform/http/entrance.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deployment } from "./deployment.ts";

type Values = Record<string, { value: string }>;

/** The result of a CloudFront function: the request for the origin, or an answer instead. */
type Outcome =
  | { readonly uri: string; readonly querystring: Values; readonly headers: Values }
  | { readonly statusCode: number; readonly headers?: Values };

/** The distribution in front of a deployment, which the emulator creates without passing requests on. */
export interface Entrance extends LocalServer {
  readonly socketUrl: string;
}

/**
 * Pass requests to the APIs as the distribution does: with its functions and with the secret that functions read.
 */
export async function startEntrance(
  deployment: Deployment,
  { corsAllowedOrigins }: Pick<Settings, "corsAllowedOrigins">,
): Promise<Entrance> {
  const { [variables.secret("entrance")]: secretId = "", ENTRANCE_SECRET: textOfEarlierVersions } =
    await deployment.variablesOf("sessions");
  const secret = textOfEarlierVersions ?? (await deployment.readSecret(secretId));
  const { publicUrl, connectionsUrl } = deployment;
  const forApi = runnerOf(apiFunctionCode(corsAllowedOrigins));
  const forSockets = runnerOf(socketFunctionCode);
  // The path of sockets is the stage, so their origin is the address of the stage without its path.
  const socketOrigin = connectionsUrl.replace(/\/[^/]*$/, "");

  function toOrigin(incoming: IncomingMessage, run: typeof forApi, origin: string) {
    const outcome = run(incoming);
    if ("statusCode" in outcome) return outcome;
    const query = Object.entries(outcome.querystring).map(([name, { value }]) => `${name}=${value}`);
    const url = new URL(`${origin}${outcome.uri}${query.length > 0 ? `?${query.join("&")}` : ""}`);
    const { host: _, ...headers } = Object.fromEntries(
      Object.entries(outcome.headers).map(([name, { value }]) => [name, value]),
    );
    return send(url, { method: incoming.method, headers: { ...headers, [entranceHeaders.secret]: secret } });
  }

  const server = await listen(
    (incoming, response) => {
      const sent = toOrigin(incoming, forApi, publicUrl);
      if ("statusCode" in sent) {
        response.writeHead(sent.statusCode, flat(sent.headers)).end();
        return;
      }
      sent.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
        answer.pipe(response);
      });
      sent.on("error", () => response.destroy());
      incoming.pipe(sent);
    },
    0,
    (incoming, socket) => {
      const sent = toOrigin(incoming, forSockets, socketOrigin);
      if ("statusCode" in sent) {
        socket.end(`HTTP/1.1 ${sent.statusCode} Refused\r\n\r\n`);
        return;
      }
      sent.on("upgrade", ({ rawHeaders }, origin, head) => {
        const lines = rawHeaders.flatMap((text, index) =>
          index % 2 === 0 ? [`${text}: ${rawHeaders[index + 1]}`] : [],
        );
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
        socket.write(head);
        origin.pipe(socket).on("error", () => origin.destroy());
        socket.pipe(origin).on("error", () => socket.destroy());
      });
      sent.on("response", ({ statusCode }) => socket.end(`HTTP/1.1 ${statusCode} Refused\r\n\r\n`));
      sent.on("error", () => socket.destroy());
      sent.end();
    },
  );
  return { ...server, socketUrl: `${server.url.replace(/^http/, "ws")}/await` };
}

const send = (url: URL, options: RequestOptions) =>
  (url.protocol === "https:" ? httpsRequest : httpRequest)(url, options);

const flat = (values: Values = {}) =>
  Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]));

function runnerOf(code: string): (incoming: IncomingMessage) => Outcome {
  const context = createContext({});
  runInContext(code, context);
  return ({ method, url = "", headers, socket }) => {
    const [uri = "", query = ""] = url.split(/\?(.*)/s);
    return context.handler({
      viewer: { ip: socket.remoteAddress },
      request: {
        method,
        uri,
        // CloudFront leaves names and values encoded.
        querystring: valuesOf(
          query
            .split("&")
            .filter(Boolean)
            .map((part) => part.split(/=(.*)/s)),
        ),
        headers: valuesOf(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      },
    });
  };
}

const valuesOf = (entries: readonly (readonly string[])[]): Values =>
  Object.fromEntries(entries.map(([name = "", value = ""]) => [name, { value }]));
