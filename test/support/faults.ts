import { once } from "node:events";
import { Readable } from "node:stream";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** A call of an AWS API from this thread. */
export interface AwsCall {
  readonly service: "dynamodb" | "sqs" | "sockets" | "other";
  /** Such as `PutItem`; for sockets the HTTP method. */
  readonly action: string;
  readonly path: string;
  readonly body: string;
  /** Whether the SDK will not retry. */
  readonly isLastAttempt: boolean;
}

/**
 * What happens to a call instead:
 * - `denied`: answered as by IAM, without effect
 * - `throttled`, `failed`: answered with an error, without effect; the SDK retries
 * - `answer-lost`: takes effect, but fails; the SDK retries
 * - `dies-before`, `dies-after`: as if the process had died before or after the call; the SDK does not retry
 * - `ignored`: answered as if it had taken effect
 * - `refused`: answered as by API Gateway when a client does not read
 * - `unanswered`: without effect, and without an answer
 */
export type Fault =
  | "denied"
  | "throttled"
  | "failed"
  | "answer-lost"
  | "dies-before"
  | "dies-after"
  | "ignored"
  | "refused"
  | "unanswered";

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
interface Options {
  readonly abortSignal?: AbortSignal;
}
interface Transport {
  handle(request: Request, options?: Options): Promise<{ response: Response }>;
}

/** Make calls of any SDK client in this thread fail. @returns a function that ends the faults */
export function injectFaults(choose: (call: AwsCall) => Fault | undefined): () => void {
  const dynamo = new DynamoDBClient();
  const transport: Transport = Object.getPrototypeOf(dynamo.config.requestHandler);
  const { handle } = transport;
  transport.handle = async function faulty(this: Transport, request, options) {
    const call = readCall(request);
    const fault = choose(call);
    const takesEffect = fault === undefined || fault === "answer-lost" || fault === "dies-after";
    const result = takesEffect ? await handle.call(this, request, options) : undefined;
    if (result !== undefined && fault !== undefined) result.response.body.resume();
    switch (fault) {
      case undefined:
        return result as { response: Response };
      case "denied":
        return { response: answer(400, { __type: "AccessDeniedException" }) };
      case "throttled":
        return { response: answer(400, { __type: "ProvisionedThroughputExceededException" }) };
      case "failed":
      case "answer-lost":
        return { response: answer(500, { __type: "InternalServerError" }) };
      case "ignored":
        return { response: answer(200, {}) };
      case "refused":
        return { response: answer(429, { __type: "LimitExceededException" }) };
      case "unanswered":
        if (options?.abortSignal !== undefined) await once(options.abortSignal, "abort");
        throw new Error("The request was aborted");
      default:
        throw new Error(`The process dies in ${call.action}`);
    }
  };
  return () => {
    transport.handle = handle;
    dynamo.destroy();
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
    isLastAttempt: attempt !== undefined && attempt === max,
  };
  if (service.startsWith("DynamoDB")) return { ...call, service: "dynamodb" };
  if (service === "AmazonSQS") return { ...call, service: "sqs" };
  return { ...call, service: path.includes("/@connections/") ? "sockets" : "other" };
}

const answer = (statusCode: number, body: object): Response => ({
  statusCode,
  headers: { "content-type": "application/x-amz-json-1.0" },
  body: Readable.from([Buffer.from(JSON.stringify(body))]),
});
