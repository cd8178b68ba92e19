import { Readable } from "node:stream";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** A call of an AWS API from this thread. */
export interface AwsCall {
  readonly service: "dynamodb" | "s3" | "sqs" | "sockets" | "other";
  /** Such as `PutItem`; for S3 and sockets the HTTP method. */
  readonly action: string;
  readonly path: string;
  readonly body: string;
  /** Headers that will be sent; an interceptor may add some. */
  readonly headers: Record<string, string>;
  /** Whether the SDK has not sent it before. */
  readonly isFirstAttempt: boolean;
  /** Whether the SDK will not retry. */
  readonly isLastAttempt: boolean;
  /** Aborted when the client gives up. */
  readonly abortSignal?: AbortSignal;
}

/** A request of the SDK. */
interface AwsRequest {
  readonly hostname: string;
  readonly port?: number;
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

interface Response {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** The response that the SDK gets for a call. */
export interface AwsAnswer {
  readonly response: Response;
}

/** Answers a call itself, or passes it on with `send`. */
export type AwsInterceptor = (call: AwsCall, send: () => Promise<AwsAnswer>) => Promise<AwsAnswer>;

/** Sends requests for all SDK clients of this thread. */
export interface Transport {
  handle(request: AwsRequest, options?: Pick<AwsCall, "abortSignal">): Promise<AwsAnswer>;
}

const interceptors = new Set<AwsInterceptor>();
let isPatched = false;

/**
 * Intercept the calls of every SDK client of this thread. There is no other way, because each function creates its own
 * clients.
 *
 * @returns a function that stops it
 */
export function interceptAwsCalls(interceptor: AwsInterceptor): () => void {
  patchTransport();
  interceptors.add(interceptor);
  return () => interceptors.delete(interceptor);
}

/** An answer of AWS in its JSON protocols. */
export const awsAnswer = (statusCode: number, body: object): AwsAnswer =>
  answerOf(statusCode, "application/x-amz-json-1.0", JSON.stringify(body));

/** An answer of S3. */
export const xmlAnswer = (statusCode: number, text: string): AwsAnswer =>
  answerOf(statusCode, "application/xml", text);

const answerOf = (statusCode: number, type: string, text: string): AwsAnswer => ({
  response: {
    statusCode,
    headers: { "content-type": type },
    body: Readable.from([Buffer.from(text)]),
  },
});

/** The prototype by which every SDK client of this thread sends its requests. */
export function sharedTransport(): Transport {
  const dynamo = new DynamoDBClient({ region: "local" });
  const transport: Transport = Object.getPrototypeOf(dynamo.config.requestHandler);
  dynamo.destroy();
  return transport;
}

function patchTransport(): void {
  if (isPatched) return;
  isPatched = true;
  const transport = sharedTransport();
  const { handle } = transport;
  transport.handle = function intercepted(this: Transport, request, options) {
    const send = () => handle.call(this, request, options);
    if (interceptors.size === 0) return send();
    const call = readCall(request, options?.abortSignal);
    return [...interceptors].reduce<() => Promise<AwsAnswer>>(
      (next, interceptor) => () => interceptor(call, next),
      send,
    )();
  };
}

function readCall(request: AwsRequest, abortSignal: AbortSignal | undefined): AwsCall {
  const { method, path, headers, body } = request;
  const [, action = ""] = headers["x-amz-target"]?.split(".") ?? [];
  const [, attempt, max] = /attempt=(\d+); max=(\d+)/.exec(headers["amz-sdk-request"] ?? "") ?? [];
  return {
    service: serviceOf(request),
    action: action || method,
    path,
    headers,
    // Decoded on demand: an object in S3 may be megabytes.
    get body() {
      return body instanceof Uint8Array
        ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
        : String(body ?? "");
    },
    isFirstAttempt: attempt === "1",
    isLastAttempt: attempt !== undefined && attempt === max,
    ...(abortSignal && { abortSignal }),
  };
}

function serviceOf({ headers, path }: AwsRequest): AwsCall["service"] {
  const [target = ""] = headers["x-amz-target"]?.split(".") ?? [];
  if (target.startsWith("DynamoDB")) return "dynamodb";
  if (target === "AmazonSQS") return "sqs";
  if (headers["user-agent"]?.includes(" api/s3#")) return "s3";
  return path.includes("/@connections/") ? "sockets" : "other";
}
