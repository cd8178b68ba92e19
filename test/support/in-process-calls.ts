import { Readable } from "node:stream";
import inject, { type DispatchFunc, type InjectOptions } from "light-my-request";
import { sharedTransport } from "#lib/local/aws-calls.ts";
import { localListeners } from "#lib/local/gateway/http-server.ts";

let isPatched = false;

/**
 * Answer calls of AWS by the emulators of this thread without HTTP, which would cost more than the answers. Call it before
 * anything intercepts calls. Tables are another process's.
 */
export function callInProcess(): void {
  if (isPatched) return;
  isPatched = true;
  const transport = sharedTransport();
  const { handle } = transport;
  transport.handle = async function handleInProcess(request, options) {
    const listener = localListeners.get(`http://${request.hostname}:${request.port}`);
    if (listener === undefined) return handle.call(this, request, options);
    options?.abortSignal?.throwIfAborted();
    const answer = inject(listener as DispatchFunc, {
      method: request.method as NonNullable<InjectOptions["method"]>,
      url: { pathname: request.path, query: (request.query ?? {}) as Record<string, string> },
      headers: request.headers,
      payload: payloadOf(request.body),
    });
    const { statusCode, headers, rawPayload } = await unlessAborted(answer, options?.abortSignal);
    return {
      response: {
        statusCode,
        headers: headers as Record<string, string>,
        body: Readable.from([rawPayload]),
      },
    };
  };
}

/** A call for messages of a stack that stops would be answered after 20 seconds. */
async function unlessAborted<Answer>(
  answer: Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  if (signal === undefined) return answer;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([answer, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const payloadOf = (body: unknown) =>
  body instanceof Uint8Array
    ? Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    : String(body ?? "");
