import { Readable } from "node:stream";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** A call of an AWS API from this thread. */
export interface AwsCall {
  readonly service: "dynamodb" | "sqs" | "sockets" | "other";
  /** Such as `PutItem`; for sockets the HTTP method. */
  readonly action: string;
  readonly path: string;
  readonly body: string;
  /** Whether the SDK has not sent it before. */
  readonly isFirstAttempt: boolean;
  /** Whether the SDK will not retry. */
  readonly isLastAttempt: boolean;
  /** Set when its client gives up. */
  readonly abortSignal?: AbortSignal;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Response {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** What the SDK gets for a call. */
export interface AwsAnswer {
  readonly response: Response;
}

/** Answers a call itself, or lets it pass by `send`. */
export type AwsInterceptor = (call: AwsCall, send: () => Promise<AwsAnswer>) => Promise<AwsAnswer>;

interface Transport {
  handle(request: Request, options?: Pick<AwsCall, "abortSignal">): Promise<AwsAnswer>;
}

const interceptors = new Set<AwsInterceptor>();
let isPatched = false;

/**
 * Come between every SDK client of this thread and the network: what runs the functions here has no other way, because
 * each function makes its own clients.
 *
 * @returns a function that ends it
 */
export function interceptAwsCalls(interceptor: AwsInterceptor): () => void {
  patchTransport();
  interceptors.add(interceptor);
  return () => interceptors.delete(interceptor);
}

/** An answer of AWS in its JSON protocols. */
export const awsAnswer = (statusCode: number, body: object): AwsAnswer => ({
  response: {
    statusCode,
    headers: { "content-type": "application/x-amz-json-1.0" },
    body: Readable.from([Buffer.from(JSON.stringify(body))]),
  },
});

function patchTransport(): void {
  if (isPatched) return;
  isPatched = true;
  const dynamo = new DynamoDBClient({ region: "local" });
  const transport: Transport = Object.getPrototypeOf(dynamo.config.requestHandler);
  dynamo.destroy();
  const { handle } = transport;
  transport.handle = function intercepted(this: Transport, request, options) {
    const send = () => handle.call(this, request, options);
    if (interceptors.size === 0) return send();
    const call = { ...readCall(request), abortSignal: options?.abortSignal };
    return [...interceptors].reduce<() => Promise<AwsAnswer>>(
      (next, interceptor) => () => interceptor(call, next),
      send,
    )();
  };
}

function readCall({ method, path, headers, body }: Request): AwsCall {
  const [service = "", action = ""] = headers["x-amz-target"]?.split(".") ?? [];
  const text =
    body instanceof Uint8Array
      ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
      : String(body ?? "");
  const [, attempt, max] = /attempt=(\d+); max=(\d+)/.exec(headers["amz-sdk-request"] ?? "") ?? [];
  const call = {
    action: action || method,
    path,
    body: text,
    isFirstAttempt: attempt === "1",
    isLastAttempt: attempt !== undefined && attempt === max,
  };
  if (service.startsWith("DynamoDB")) return { ...call, service: "dynamodb" };
  if (service === "AmazonSQS") return { ...call, service: "sqs" };
  return { ...call, service: path.includes("/@connections/") ? "sockets" : "other" };
}
