import type { IncomingMessage } from "node:http";
import { ApiError } from "#shared/platform/http/api-error.ts";

/** How long a client may take, in seconds. */
export interface UploadTimes {
  /** Without sending anything; also what it may take longer than `slowest` allows. */
  readonly idle: number;
  /** Bytes for each second that it is waited for: a byte now and then would hold one of few places for hours. */
  readonly slowest: number;
  /** For all of its body: a film of 100 MB on a line of 20 KB/s takes an hour and a half. */
  readonly longest: number;
  /** To send what it still sends of a body whose answer it has got: a browser reads no answer before. */
  readonly refused: number;
}

export const uploadTimes: UploadTimes = { idle: 30, slowest: 4096, longest: 2 * 3600, refused: 30 };

/** A body that is read while it arrives. */
export interface ArrivingBody {
  /** Can be read once. Rejects with `incomplete-body` when the client goes away or is too slow. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Drop what nobody has read, once the request has been answered. */
  dropRest(): void;
}

interface ReceiveOptions {
  readonly times?: UploadTimes;
  /** Ends the body with its reason. */
  readonly signal?: AbortSignal;
}

/** Read the body of a request while it arrives, no faster than it is used. */
export function receiveUpload(
  request: IncomingMessage,
  { times = uploadTimes, signal }: ReceiveOptions = {},
): ArrivingBody {
  const deadline = performance.now() + times.longest * 1000;
  let received = 0;
  /** Milliseconds that were spent waiting for the client: what becomes of its bytes may take longer. */
  let waited = 0;
  // Without its connection, a request could not be answered.
  const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });

  async function next(): Promise<IteratorResult<Uint8Array>> {
    signal?.throwIfAborted();
    const stopped = Promise.withResolvers<never>();
    const start = performance.now();
    const allowed = (times.idle + received / times.slowest) * 1000;
    const left = Math.min(times.idle * 1000, allowed - waited, deadline - start);
    const timer = setTimeout(() => stopped.reject(new Error("The client is too slow")), left);
    const stop = () => stopped.reject(signal?.reason);
    signal?.addEventListener("abort", stop);
    try {
      const result = await Promise.race([chunks.next(), stopped.promise]);
      received += result.value?.length ?? 0;
      return result;
    } catch (cause) {
      signal?.throwIfAborted();
      throw new ApiError("incomplete-body", { cause });
    } finally {
      waited += performance.now() - start;
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  return {
    content: { [Symbol.asyncIterator]: () => ({ next }) },
    dropRest() {
      if (request.complete || request.destroyed) return;
      const timer = setTimeout(() => request.destroy(), times.refused * 1000);
      request.once("close", () => clearTimeout(timer));
      request.once("end", () => clearTimeout(timer));
      request.on("error", () => undefined);
      // The iterator may wait for the next bytes, or stop only when they have come.
      void chunks.return?.().then(
        () => request.resume(),
        () => undefined,
      );
      request.resume();
    },
  };
}
