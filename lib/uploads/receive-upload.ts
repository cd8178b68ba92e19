import type { IncomingMessage } from "node:http";
import { ApiError } from "#shared/platform/http/api-error.ts";

/** Time that a client may take, in seconds. */
export interface UploadTimes {
  /** Time without any bytes; also the time by which a client may exceed the rate `slowest`. */
  readonly idle: number;
  /** Bytes per second of waiting: a client that sends a byte now and then would hold one of few places for hours. */
  readonly slowest: number;
  /** Time for the whole body: a film of 100 MB takes an hour and a half at 20 KB/s. */
  readonly longest: number;
  /** Time to finish sending a body that was already answered: browsers read no answer before. */
  readonly refused: number;
}

export const uploadTimes: UploadTimes = { idle: 30, slowest: 4096, longest: 2 * 3600, refused: 30 };

/** A body that is read while it arrives. */
export interface ArrivingBody {
  /** Can be read once. Rejects with `incomplete-body` when the client goes away or is too slow. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Drop the unread rest, once the request has been answered. */
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
  /** Milliseconds spent waiting for the client, without the time in which its bytes are used. */
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
      // The iterator may be waiting for the next bytes, and would only stop when they arrive.
      void chunks.return?.().then(
        () => request.resume(),
        () => undefined,
      );
      request.resume();
    },
  };
}
