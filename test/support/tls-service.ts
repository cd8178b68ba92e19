import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { SecureContextOptions } from "node:tls";

/** A key pair in PEM. */
export interface ServiceKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** A request that the service received. */
export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  /** Absent if the request had none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  readonly body?: any;
}

/** The answer of a service: a status, and a body as JSON or text. Undefined: it never answers. */
export type ServiceAnswer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | undefined;

/** A service as strangers would run it, but on loopback, with its own certificate. */
export interface TlsService {
  readonly baseUrl: string;
  /** The public key of its certificate, in PEM. */
  readonly publicKey: string;
  readonly authToken: string;
  /** Body of a request that registers it. */
  readonly registration: { base_url: string; public_key: string; auth_token: string };
  /** Requests received so far, in order. */
  readonly calls: readonly ServiceCall[];
  /** Connections opened so far, whether or not a request followed. */
  readonly connections: number;
  /** Set the answer for a path, or one answer for each of the next calls of that path. */
  answer(path: string, ...answers: (ServiceAnswer | ((call: ServiceCall) => Promise<ServiceAnswer>))[]): void;
  /** Calls of paths that end in this one. */
  callsOf(path: string): ServiceCall[];
  stop(): void;
}

export interface TlsServiceOptions {
  readonly key?: ServiceKey;
  /** Validity period of its certificate. */
  readonly validFrom?: Date;
  readonly validUntil?: Date;
  /** Whether its certificate says that its key signs no certificates, as that of a server usually does. */
  readonly isForServers?: boolean;
  /** Key that signs its certificate; by default its own. */
  readonly issuer?: { readonly key: string; readonly cert: string };
  readonly tls?: SecureContextOptions;
}

/** Generate a key for a service. */
export function newServiceKey(modulusLength = 2048): ServiceKey {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return { publicKey, privateKey };
}

let ownKey: ServiceKey | undefined;
/** The key that most services share, because generating one takes long. */
export function sharedServiceKey(): ServiceKey {
  ownKey ??= newServiceKey();
  return ownKey;
}

/** Create a certificate for `127.0.0.1` and `localhost`. */
export async function newServiceCertificate(
  key: ServiceKey,
  { issuer, validFrom, validUntil, isForServers = false }: Omit<TlsServiceOptions, "key"> = {},
): Promise<string> {
  // Not imported at the top: it takes longer than most of the tests.
  const { generate } = await import("selfsigned");
  const { cert } = await generate([{ name: "commonName", value: "Test service" }], {
    algorithm: "sha256",
    keyPair: key,
    ca: issuer,
    notBeforeDate: validFrom,
    notAfterDate: validUntil,
    extensions: [
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
      ...(isForServers ? [{ name: "keyUsage", digitalSignature: true, keyEncipherment: true } as const] : []),
    ],
  });
  return cert;
}

/** Create an authority that signs certificates of services. */
export async function newAuthority(): Promise<{ key: string; cert: string }> {
  const { generate } = await import("selfsigned");
  const { private: key, cert } = await generate([{ name: "commonName", value: "Test authority" }], {
    algorithm: "sha256",
    extensions: [{ name: "basicConstraints", cA: true }],
  });
  return { key, cert };
}

const servers = new Set<Server>();

/** Stop all services that a file of tests has started. */
export function stopTlsServices(): void {
  for (const server of servers) stop(server);
}

function stop(server: Server): void {
  servers.delete(server);
  server.closeAllConnections();
  server.close();
}

/** Start a service, which ends with its file of tests. @param answerTo the answer to a call that no test has set another for */
export async function startTlsService(
  { key = sharedServiceKey(), tls, ...certificate }: TlsServiceOptions,
  answerTo: (call: ServiceCall) => ServiceAnswer,
): Promise<TlsService> {
  const calls: ServiceCall[] = [];
  const programmed = new Map<string, Parameters<TlsService["answer"]>[1][]>();
  let connections = 0;

  function programmedAnswer(call: ServiceCall): ServiceAnswer | Promise<ServiceAnswer> {
    const queue = programmed.get(call.path);
    if (queue === undefined) return answerTo(call);
    const next = queue.length > 1 ? queue.shift() : queue[0];
    return typeof next === "function" ? next(call) : next;
  }

  const cert = await newServiceCertificate(key, certificate);
  const server = createServer({ key: key.privateKey, cert, ...tls }, async (request, response) => {
    const call = await readCall(request);
    calls.push(call);
    const answer = await programmedAnswer(call);
    if (answer !== undefined) send(response, answer);
  });
  server.on("connection", () => {
    connections++;
  });
  servers.add(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authToken = randomUUID();
  return {
    baseUrl,
    publicKey: key.publicKey,
    authToken,
    registration: { base_url: baseUrl, public_key: key.publicKey, auth_token: authToken },
    calls,
    get connections() {
      return connections;
    },
    answer: (path, ...answers) => void programmed.set(path, answers),
    callsOf: (path) => calls.filter((call) => call.path.endsWith(path)),
    stop: () => stop(server),
  };
}

async function readCall(request: IncomingMessage): Promise<ServiceCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    authorization: request.headers.authorization,
    ...(text !== "" && { body: JSON.parse(text) }),
  };
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, body }: Exclude<ServiceAnswer, undefined>,
) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
}
