import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { withoutNeedlessCodes } from "#shared/platform/http/entrance.ts";
import { renderError } from "#shared/platform/http/render.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import type { Log } from "#shared/platform/log.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { withCorsHeaders } from "../http/cors-headers.ts";
import { errorReply, type Reply, sendReply, toReply } from "../http/reply.ts";
import { receiveUpload } from "../uploads/receive-upload.ts";
import { uploadPathRule } from "../uploads/upload-paths.ts";

export interface RelayUploadsOptions {
  /** The family whose operations take uploads, and its Lambda handler. */
  readonly family: Pick<Family, "name" | "routes">;
  readonly handler: (event: HttpEvent, context: object) => Promise<unknown>;
  /** Concurrent uploads; with more, clients are told to retry later. */
  readonly most: number;
  /** Origins whose pages may upload. */
  readonly corsAllowedOrigins: readonly string[];
  readonly log: Log;
}

/** Time that clients wait before they retry when there are too many uploads, or the relay takes no more. */
const retryAfterSeconds = 5;

/** The uploads of a relay. It runs the unchanged function behind them, and passes it their bodies while they arrive. */
export class RelayUploads {
  readonly #options: RelayUploadsOptions;
  readonly #isUploadPath: (target: string) => boolean;
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #isDraining = false;

  constructor(options: RelayUploadsOptions) {
    this.#options = options;
    this.#isUploadPath = uploadPathRule([options.family]);
  }

  /**
   * Answer a request with the path of an upload, whatever its method: the distribution routes by path only.
   * @returns whether it has such a path
   */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.#isUploadPath(request.url ?? "")) return false;
    const answering = this.#answer(request, response).catch((error) => {
      this.#options.log.error("upload-not-answered", { error: error as Error });
      response.destroy();
    });
    if (this.#isRefused()) return true;
    this.#running.add(answering);
    void answering.finally(() => this.#running.delete(answering));
    return true;
  }

  /** Refuse new uploads, and after some time the unfinished ones; resolves when all of them have ended. */
  async drain(seconds: number): Promise<void> {
    this.#isDraining = true;
    const isOver = new AbortController();
    const ended = Promise.all(this.#running).then(() => isOver.abort());
    await delay(seconds * 1000, undefined, { signal: isOver.signal }).catch(() => undefined);
    this.#ending.abort(tryAgain());
    await ended;
  }

  #isRefused(): boolean {
    return this.#isDraining || this.#running.size >= this.#options.most;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { corsAllowedOrigins } = this.#options;
    const upload = receiveUpload(request, { signal: this.#ending.signal });
    const reply = this.#isRefused()
      ? toReply(renderError(tryAgain()))
      : await this.#handle(request, upload.content);
    sendReply(
      response,
      withCorsHeaders(request, (origin) => corsAllowedOrigins.includes(origin), reply),
    );
    upload.dropRest();
  }

  async #handle(request: IncomingMessage, stream: AsyncIterable<Uint8Array>): Promise<Reply> {
    const { family, handler, log } = this.#options;
    try {
      return toReply(await handler({ ...eventOf(request), stream }, { functionName: family.name }));
    } catch (error) {
      log.error("upload-failed", { error: error as Error });
      return errorReply(500, "Internal Server Error");
    }
  }
}

const tryAgain = () => new ApiError("service-unavailable", { retryAfterSeconds });

/** A request as an HTTP API would pass it on; the entrance does not change its path. */
function eventOf(request: IncomingMessage): Omit<HttpEvent, "stream"> {
  const { method = "", url = "", headersDistinct, httpVersion, socket } = request;
  const [sent = "", rawQueryString = ""] = url.split(/\?(.*)/s, 2);
  const rawPath = withoutNeedlessCodes(sent);
  const headers = Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [
      name,
      values.join(name === "cookie" ? "; " : ","),
    ]),
  );
  const now = Date.now();
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    headers,
    requestContext: {
      accountId: "",
      apiId: "relay",
      domainName: headers.host ?? "",
      domainPrefix: "relay",
      http: {
        method,
        path: rawPath,
        protocol: `HTTP/${httpVersion}`,
        sourceIp: socket.remoteAddress ?? "",
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: "$default",
      stage: "$default",
      time: new Date(now).toISOString(),
      timeEpoch: now,
    },
    isBase64Encoded: false,
  };
}
