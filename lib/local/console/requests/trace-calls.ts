import { currentRequestId } from "#shared/platform/request-id.ts";
import { type AwsCall, interceptAwsCalls } from "../../aws-calls.ts";
import type { TracedMessage, TraceLog } from "./trace-log.ts";

/** Trace the calls of AWS that functions of this thread make. @returns a function that ends it */
export function traceCalls(traces: TraceLog): () => void {
  return interceptAwsCalls(async (call, send) => {
    for (const { requestId, message } of messagesIn(call)) traces.addMessage(requestId, message);
    const requestId = currentRequestId();
    if (requestId === undefined) return send();
    const at = new Date().toISOString();
    const startedAt = performance.now();
    const note = (outcome: string) =>
      traces.addCall(requestId, {
        at,
        service: call.service,
        action: call.action,
        resource: resourceOf(call),
        milliseconds: performance.now() - startedAt,
        outcome,
      });
    try {
      const answer = await send();
      note(String(answer.response.statusCode));
      return answer;
    } catch (error) {
      note(error instanceof Error ? error.name : "failed");
      throw error;
    }
  });
}

/** Decodes the body only if it is text: with S3, it may be megabytes of a file. */
function resourceOf(call: AwsCall): string {
  const { service, path } = call;
  if (service === "dynamodb") return [...new Set(tablesIn(call.body))].join(", ");
  if (service === "sqs") return /"QueueUrl":"[^"]*\/([^"/]+)"/.exec(call.body)?.[1] ?? "";
  return service === "s3" ? (path.split("/")[1] ?? "") : path;
}

function tablesIn(body: string): string[] {
  const named = [...body.matchAll(/"TableName":"([^"]+)"/g)].map(([, table = ""]) => table);
  const items = /"RequestItems":\{(.*)/s.exec(body) === null ? [] : batchTables(body);
  return [...named, ...items];
}

const batchTables = (body: string): string[] =>
  Object.keys((JSON.parse(body) as { RequestItems: object }).RequestItems);

interface FoundMessage {
  readonly requestId: string;
  readonly message: TracedMessage;
}

/** Messages that a call puts into the outbox, or directly into a queue. */
function messagesIn(call: AwsCall): FoundMessage[] {
  const { service, action } = call;
  const isWrite = service === "dynamodb" && /^(Put|TransactWrite)Item/.test(action);
  const isSend = service === "sqs" && action.startsWith("SendMessage");
  if (!isWrite && !isSend) return [];
  const { body } = call;
  if (!body.includes("payload")) return [];
  return isSend
    ? [...body.matchAll(/"MessageBody":("(?:[^"\\]|\\.)*")/g)].flatMap(([, text = '""']) =>
        found(JSON.parse(JSON.parse(text)).carried),
      )
    : puts(JSON.parse(body)).flatMap(({ lane, requestId, payload }) =>
        found({ lane: lane?.S, requestId: requestId?.S, payload: payload?.S }),
      );
}

type Attributes = Readonly<Record<string, { readonly S?: string } | undefined>>;

/** New items of a single or a transactional write. */
function puts(input: {
  readonly Item?: Attributes;
  readonly TransactItems?: readonly { readonly Put?: { readonly Item: Attributes } }[];
}): Attributes[] {
  const transactional = (input.TransactItems ?? []).flatMap(({ Put }) =>
    Put === undefined ? [] : [Put.Item],
  );
  return input.Item === undefined ? transactional : [input.Item];
}

function found({
  lane,
  requestId,
  payload,
}: {
  readonly lane?: string | undefined;
  readonly requestId?: string | undefined;
  readonly payload?: string | undefined;
} = {}): FoundMessage[] {
  if (lane === undefined || requestId === undefined || payload === undefined) return [];
  const queue = lane.replace(/#.*/s, "");
  return [{ requestId, message: { queue, type: typeIn(payload) } }];
}

/** The type of an event; large payloads are split into parts, none of which is JSON. */
function typeIn(payload: string): string | undefined {
  try {
    const { event, type, template } = JSON.parse(payload);
    return event?.type ?? type ?? template;
  } catch {
    return undefined;
  }
}
