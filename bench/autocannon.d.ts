/** The part of autocannon that the benchmark uses; it has no types of its own. */
declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  interface Request {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
  }

  interface Options {
    url: string;
    connections: number;
    /** Requests in total. */
    amount: number;
    sampleInt: number;
    requests: { setupRequest(request: Request): Request }[];
  }

  interface Result {
    /** Seconds. */
    duration: number;
    errors: number;
    timeouts: number;
  }

  /** Emits `response` with (client, status, bytes, milliseconds). */
  type Instance = EventEmitter & PromiseLike<Result>;

  export default function autocannon(options: Options): Instance;
}
