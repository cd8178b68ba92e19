import { randomUUID } from "node:crypto";
import { causeHeader } from "./recording-proxy.ts";

export interface BenchRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
}

export interface BenchAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the benchmark reads what it knows to be there
  readonly body: any;
  /** Names the request in recorded calls. */
  readonly cause: string;
  readonly milliseconds: number;
}

/** The APIs of a stack, and the time that passes in it. */
export interface BenchStack {
  readonly publicUrl: string;
  readonly internalUrl: string;
  advance(seconds: number): void;
}

/** @throws Error for a status that was not expected: its figures would mean nothing */
export async function call(
  baseUrl: string,
  { method, path, headers, json }: BenchRequest,
  expectedStatus: number,
): Promise<BenchAnswer> {
  const cause = randomUUID();
  const startedAt = performance.now();
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...jsonHeaders(json), ...headers, [causeHeader]: cause },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  const text = await response.text();
  const milliseconds = performance.now() - startedAt;
  if (response.status !== expectedStatus) {
    throw new Error(`${method} ${path} answered ${response.status} instead of ${expectedStatus}: ${text}`);
  }
  const { status } = response;
  return { status, headers: response.headers, body: text && JSON.parse(text), cause, milliseconds };
}

export const jsonHeaders = (json: unknown): Record<string, string> =>
  json === undefined ? {} : { "content-type": "application/json" };
